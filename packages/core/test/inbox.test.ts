import type { Origin, Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import {
  calls,
  everything,
  exchange,
  MODELS,
  request,
  says,
  start,
  tail,
  textOf,
  told,
} from "./support/session.js"

const FRAMED = "The user sent a new message while you were working:"

/** A turn whose first step has made a call that is still open. */
function working(session = start()): Session {
  session.say("Start")
  exchange(session, calls("c1"))
  return session
}

describe("delivery", () => {
  it("next-step: all messages up to the boundary go up after the results of the step, oldest first", () => {
    const session = working()
    session.say("first")
    session.say("second")
    session.result("c1", "the result")
    const text = told(request(session))
    const places = ["the result", "first", "second"].map((words) => text.indexOf(words))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(session.queue()).toEqual([])
  })

  it("next-step: what arrives after the request went out waits for the next boundary", () => {
    const session = working()
    session.result("c1", "done")
    const sent = request(session)
    session.say("too late for this one")
    expect(request(session)).toBe(sent)
    expect(everything(sent)).not.toContain("too late")
  })

  it("next-step: a message that comes during the final answer makes one more step of the same turn", () => {
    const session = start()
    session.say("Start")
    const first = request(session)
    session.say("one more thing")
    session.reply(first.id, says("final"))
    const second = request(session)
    expect([second.turn, second.step]).toEqual([first.turn, 2])
    expect(told(second)).toContain(`${FRAMED}\none more thing`)
  })

  it("next-step: one that comes during the last allowed step opens a new turn, unframed", () => {
    const session = start({ agents: [{ name: "build", steps: 1 }] })
    session.say("Start")
    const only = request(session)
    session.say("one more thing")
    session.reply(only.id, says("final"))
    const second = request(session)
    expect([second.turn, second.step]).toEqual([only.turn + 1, 1])
    expect(tail(second)[0]?.content[0]).toEqual({ type: "text", text: "one more thing" })
  })

  it("after-turn: follow-ups wait for the turn to end, and get one turn each", () => {
    const session = working()
    session.say("follow-up one", { delivery: "after-turn" })
    session.say("follow-up two", { delivery: "after-turn" })
    session.result("c1", "done")
    expect(told(exchange(session, says("final")))).not.toContain("follow-up")
    const one = exchange(session, says("done with one"))
    expect(told(one)).toContain("follow-up one")
    expect(told(one)).not.toContain("follow-up two")
    const two = exchange(session, says("done with two"))
    expect([one.turn, one.step, two.turn, two.step]).toEqual([2, 1, 3, 1])
    expect(told(two)).toContain("follow-up two")
    expect(session.next().is).toBe("idle")
  })

  it("now: the model call is aborted, and what was said is kept", () => {
    const session = start()
    session.say("Start")
    const cut = request(session)
    session.partial(cut.id, says("I was about to"))
    session.say("stop that", { delivery: "now" })
    const next = request(session)
    expect(next.id).not.toBe(cut.id)
    expect([...next.messages].map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect([...next.messages][1]?.content).toEqual([{ type: "text", text: "I was about to" }])
    expect(told(next)).toContain("stop that")
    expect(session.reply(cut.id, says("too late"))).toEqual({ taken: false, why: "late" })
  })

  it("now: calls that the reply had finished are answered as not run", () => {
    const session = start()
    session.say("Start")
    session.partial(request(session).id, calls("c1"))
    session.say("stop that", { delivery: "now" })
    const [group] = tail(request(session))
    expect(group?.content[0]).toMatchObject({ type: "tool-result", callId: "c1", error: true })
    expect(told(request(session))).toContain("Not run")
  })

  it.each([
    ["now", "Address it at once."],
    ["next-step", "Address it after the current piece of work, unless you have already done so."],
    ["passive", "Address it after the current piece of work, unless you have already done so."],
  ] as const)("%s: the frame says when to address it", (delivery, asked) => {
    for (const model of Object.values(MODELS)) {
      const session = working(start({ model: { id: model } }))
      session.say("stop that", { delivery })
      session.result("c1", "done")
      expect(told(request(session)).match(/Address it [^.]*\./g)).toEqual([asked])
    }
  })

  it("now: a message that was given another delivery is framed by the last one", () => {
    const session = working()
    const { id } = session.say("stop that")
    session.edit(id, { delivery: "now" })
    session.result("c1", "done")
    expect(told(request(session))).toContain("stop that\n\nAddress it at once.")
  })

  it("now: while tools run it acts as next-step", () => {
    const session = working()
    session.say("hurry", { delivery: "now" })
    expect(session.phase).toBe("awaiting-results")
    session.result("c1", "the real result")
    expect(told(request(session))).toContain("the real result")
    expect(told(request(session))).toContain(`${FRAMED}\nhurry`)
  })

  it("passive: joins a turn that goes on", () => {
    const session = working()
    session.say("by the way", { delivery: "passive" })
    session.result("c1", "done")
    expect(told(request(session))).toContain("by the way")
  })

  it("passive: never wakes a finished agent, nor makes one more step, and joins the next prompt", () => {
    const session = start()
    session.say("before the start", { delivery: "passive" })
    expect(session.next().is).toBe("idle")
    session.say("Start")
    const sent = request(session)
    session.say("during the answer", { delivery: "passive" })
    session.reply(sent.id, says("final"))
    expect([session.phase, session.next().is]).toEqual(["idle", "idle"])
    session.say("Go on")
    expect(told(request(session))).toBe("during the answer\nGo on")
  })
})

describe("a message that finds no room in the budget", () => {
  it("waits, and nothing that was admitted after it with the same delivery overtakes it", () => {
    const session = working(start({ budget: { perStep: 150 } }))
    const task: Origin = { kind: "task-notification" }
    session.say("x".repeat(400), { origin: task, id: "first" })
    session.say("y".repeat(4_000), { origin: task, id: "second" })
    session.say("ok", { origin: task, id: "third" })
    session.result("c1", "done")
    const sent = exchange(session, says("done"))
    expect(told(sent)).toContain("x".repeat(400))
    expect(session.queue().map(({ id }) => id)).toEqual(["second", "third"])
    const next = told(request(session))
    expect(next.indexOf("yyy")).toBeGreaterThanOrEqual(0)
    expect(session.receipt("third")?.state === "queued" || next.indexOf("ok") > next.indexOf("yyy")).toBe(
      true,
    )
  })
})

describe("frames", () => {
  it.each<[string, Origin, string, string]>([
    ["a task that ended", { kind: "task-notification" }, "A background agent completed a task:", "task"],
    ["the coordinator", { kind: "coordinator" }, "The coordinator sent a message:", "before completing"],
    ["a channel", { kind: "channel", server: "ci" }, "A message arrived from ci:", "It is not from the user"],
  ])("%s is introduced even where it opens the turn", (_, origin, before, after) => {
    const session = start({ channelsWake: true })
    session.say("the words", { origin })
    const text = told(request(session))
    expect(text.startsWith(`<system-reminder>\n${before}\nthe words`)).toBe(true)
    expect(text).toContain(after)
  })

  it("a human's prompt that opens a turn is not introduced", () => {
    const session = start()
    session.say("Start")
    expect(tail(request(session))).toEqual([{ role: "user", content: [{ type: "text", text: "Start" }] }])
  })

  it("a frame is never undone: the framed words stay as they were when the turn is long over", () => {
    const session = working()
    session.say("mind the tests")
    session.result("c1", "done")
    const framed = JSON.stringify([...exchange(session, says("final")).messages])
    session.say("Next prompt")
    expect(JSON.stringify([...request(session).messages]).startsWith(framed.slice(0, -1))).toBe(true)
  })

  it("media is never framed: it follows the framed words as it is", () => {
    const session = working()
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const
    session.say([image, { type: "text", text: "like this" }])
    session.result("c1", "done")
    const [result] = tail(request(session))[0]?.content ?? []
    expect(result).toMatchObject({
      content: [{ text: "done" }, { text: expect.stringContaining(`${FRAMED}\nlike this`) }, image],
    })
  })

  it("text marked ignored is for the person only", () => {
    const session = start()
    session.say([
      { type: "text", text: "for the model" },
      { type: "text", text: "for the eye", ignored: true },
    ])
    expect(told(request(session))).toBe("for the model")
    expect(JSON.stringify(session.view())).toContain("for the eye")
  })

  it.each([
    [
      "around the words, with the usual lines",
      "Note: {{line}}\n{{message}}\n{{after}} ({{key}})",
      "Note: The user sent a new message while you were working:\nhurry\n\nAddress it after the current piece of work, unless you have already done so. (x)",
    ],
    ["before the words only", "{{ before }} Hear:{{message}}", `${FRAMED} Hear:\nhurry\n`],
    [
      "without a place for the words: the line after them stays",
      "They say:",
      "They say:\nhurry\n\nAddress it after",
    ],
    ["after the words only", "{{message}}\nThe user said that.", "hurry\n\nThe user said that.\n"],
    ["with a placeholder that has no value", "{{nobody}}", "{{nobody}}\nhurry\n"],
  ])("queued_command.text stands %s", (_, text, framed) => {
    for (const id of [MODELS.smooshing, MODELS.plain]) {
      const session = working(start({ model: { id }, reminders: { queued_command: { text } } }))
      session.say("hurry", { id: "x" })
      session.result("c1", "done")
      expect(told(request(session))).toContain(`<system-reminder>\n${framed}`)
    }
  })

  it.each([MODELS.smooshing, MODELS.system])(
    "queued_command.text of the words alone frames nothing: %s",
    (id) => {
      const session = working(
        start({ model: { id }, reminders: { queued_command: { text: "{{message}}" } } }),
      )
      session.say("hurry")
      session.result("c1", "done")
      expect(told(request(session))).toBe("done\nhurry")
    },
  )

  it("queued_command.text stands apart from the words where a system message carries it", () => {
    const reminders = { queued_command: { text: "Note: {{line}}{{message}}{{after}}" } }
    const session = working(start({ model: { id: MODELS.system }, reminders }))
    session.say("hurry")
    session.result("c1", "done")
    const system = tail(request(session)).filter(({ role }) => role === "system")
    expect(system.flatMap(({ content }) => content.map(textOf))).toEqual([
      `Note: ${FRAMED} the user's own text above, outside any reminder. Address it after the current piece of work, unless you have already done so.`,
    ])
  })

  it("turning queued_command off leaves a human's words unframed, and still introduces strangers", () => {
    const session = working(start({ reminders: { queued_command: false } }))
    session.say("a human")
    session.say("a channel", { origin: { kind: "channel", server: "ci" } })
    session.result("c1", "done")
    const text = told(request(session))
    expect(text).not.toContain(FRAMED)
    expect(text).toContain("A message arrived from ci while you were working:\na channel")
  })
})

describe("channels", () => {
  const origin = { kind: "channel", server: "ci" } as const

  it("do not wake an idle agent unless configured, and join the next prompt", () => {
    const session = start()
    session.say("build failed", { origin })
    expect([session.phase, session.next().is]).toEqual(["idle", "idle"])
    session.say("Hello")
    expect(told(request(session))).toContain("build failed")
  })

  it("wake it if configured", () => {
    const session = start({ channelsWake: true })
    session.say("build failed", { origin })
    expect(request(session).step).toBe(1)
  })
})
