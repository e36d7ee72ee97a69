import { type AssistantPart, forkLog, pastOf, type Request, restoreSession, type Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import {
  calls,
  everything,
  exchange,
  MODELS,
  options,
  request,
  says,
  start,
  tail,
  told,
  work,
} from "./support/session.js"
import { problemsOf } from "./support/validate.js"

const THOUGHT = { type: "reasoning", text: "let me see", signature: "sig" } as const satisfies AssistantPart
const CALL: AssistantPart = { type: "tool-call", id: "c1", name: "read", input: {} }
const SUMMARY = "This summary stands for it:"

/** Why the epoch of a request began; undefined if the request goes on with the one before. */
function rebase(session: Session, sent: Request): readonly string[] | undefined {
  const entry = session.log.find(({ seq }) => sent.id === `req-${seq}`)
  return entry?.type === "step" ? entry.epoch?.reasons : undefined
}

/** A session that has had one turn. */
function talked(model: string = MODELS.smooshing): Session {
  const session = start({ model: { id: model } })
  session.say("OLD question")
  exchange(session, says("OLD answer"))
  return session
}

function valid(session: Session): Request {
  const sent = request(session)
  expect(problemsOf(sent)).toEqual([])
  return sent
}

describe("compaction", () => {
  it("when idle: the summary heads the next prompt, and nothing older is sent", () => {
    const session = talked()
    session.compact("We talked.")
    expect(session.next().is).toBe("idle")
    session.say("NEW question")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["compaction"])
    expect(everything(sent)).not.toContain("OLD")
    expect(everything(sent)).toMatch(/This summary stands for it:.*We talked\..*NEW question/s)
  })

  it("with a request in flight: the request and its reply come after the summary", () => {
    const session = talked()
    session.say("NEW question")
    const flying = request(session)
    session.compact("We talked.")
    expect(request(session)).toBe(flying)
    session.reply(flying.id, says("NEW answer"))
    session.say("NEXT question")
    const sent = valid(session)
    expect(everything(sent)).toMatch(/We talked\..*NEW question.*NEW answer.*NEXT question/s)
    expect(everything(sent)).not.toContain("OLD")
  })

  it("with open calls: the reply that made them stays before their results", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, calls("c1"))
    session.compact("We talked.")
    session.result("c1", "NEW result")
    const sent = valid(session)
    expect([...sent.messages].map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(everything(sent)).toMatch(/We talked\..*c1.*NEW result/s)
    expect(everything(sent)).not.toContain("OLD")
  })

  it("in an open tool turn with reasoning: waits, and happens at the next prompt", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, { parts: [THOUGHT, CALL] })
    session.result("c1", "result")
    session.compact("We talked.")
    const open = valid(session)
    expect(rebase(session, open)).toBeUndefined()
    expect([...open.messages].at(-2)?.content).toEqual([THOUGHT, CALL])
    session.reply(open.id, says("done"))
    session.say("NEW question")
    expect(rebase(session, valid(session))).toEqual(["compaction"])
    expect(everything(request(session))).toContain(SUMMARY)
  })

  it("leaves undelivered messages queued", () => {
    const session = talked()
    session.say("OLD work")
    exchange(session, calls("c1"))
    const { id } = session.say("still waiting", { delivery: "after-turn" })
    session.compact("We talked.")
    expect(session.queue().map((queued) => queued.id)).toEqual([id])
    session.result("c1", "result")
    exchange(session, says("done"))
    expect(told(valid(session))).toBe("still waiting")
  })

  it("brings what a rule has told into the new system prompt, and says nothing of it again", () => {
    const session = talked()
    session.observe("date", "2026-11-16")
    session.say("which day?")
    expect(told(exchange(session, says("Monday")))).toContain("The date is 2026-11-16.")
    session.compact("We talked.")
    session.say("NEW question")
    const sent = valid(session)
    expect(sent.pins.system).toContain("- date: 2026-11-16")
    expect(everything(sent)).not.toContain("2026-11-16")
  })

  it("a mode the model was told of still counts: keeping rules stay silent", () => {
    const session = talked()
    session.switchAgent("plan")
    session.say("plan it")
    expect(told(exchange(session, says("a plan")))).toContain("The mode changed from build to plan.")
    session.compact("We planned.")
    session.say("go on")
    expect(everything(valid(session))).not.toContain("The mode changed")
  })

  it("the view keeps the whole conversation", () => {
    const session = talked()
    session.compact("We talked.")
    session.say("NEW question")
    exchange(session, says("NEW answer"))
    expect(JSON.stringify(session.view())).toMatch(/OLD question.*OLD answer.*NEW question.*NEW answer/)
    expect(JSON.stringify(session.view())).not.toContain("We talked.")
  })
})

describe("snip", () => {
  it("drops what the ids name, keeps the pairs, and refuses the rest", () => {
    const session = start({ snip: true })
    const { id } = session.say("OLD words")
    work(session, "c1", "OLD output")
    session.say("framed words")
    exchange(session, says("done"))
    const resultId = /\[id:(r\d+)\]/.exec(everything(request(again(session))))?.[1] ?? ""
    const framed = session.view().find(({ parts }) => JSON.stringify(parts).includes("framed"))?.id ?? ""
    session.abort()
    expect(session.snip([id, resultId, framed, "nobody"])).toEqual({
      removed: [id, resultId],
      refused: [framed, "nobody"],
    })
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["snip"])
    expect(everything(sent)).not.toContain("OLD")
    expect(everything(sent)).toContain("framed words")
    expect(session.snip([id]).refused).toEqual([])
  })

  it("of nothing is no rebase, and of what is unanswered is refused", () => {
    const session = start()
    const { id } = session.say("now")
    const sent = request(session)
    expect(session.snip([id])).toEqual({ removed: [], refused: [id] })
    expect(request(session)).toBe(sent)
  })

  function again(session: Session): Session {
    session.say("again")
    return session
  }
})

describe("switching the model", () => {
  it("is a rebase with the new model's capabilities", () => {
    const session = talked()
    session.switchModel({ id: MODELS.developer })
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["model"])
    expect(sent.pins).toMatchObject({ model: MODELS.developer, capabilities: { systemMessages: true } })
    expect(everything(sent)).toContain("OLD answer")
  })

  it("there and back before the next request is none", () => {
    const session = talked()
    session.switchModel({ id: MODELS.developer })
    session.switchModel({ id: MODELS.smooshing })
    session.say("NEW")
    expect(rebase(session, valid(session))).toBeUndefined()
  })

  it("waits while an open tool turn holds reasoning", () => {
    const session = start()
    session.say("work")
    exchange(session, { parts: [THOUGHT, CALL] })
    session.switchModel({ id: MODELS.developer })
    session.result("c1", "result")
    expect(exchange(session, says("done")).pins.model).toBe(MODELS.smooshing)
    session.say("NEW")
    expect(valid(session).pins.model).toBe(MODELS.developer)
  })
})

describe("switching the agent", () => {
  it("to one with its own prompt is a rebase", () => {
    const session = talked()
    session.switchAgent("poet")
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["agent"])
    expect(sent.pins.system).toContain("You write verse.")
  })

  it("between plan and build is none: same system, same tools, one reminder", () => {
    const session = talked()
    const before = [...session.log].findLast((entry) => entry.type === "step")
    session.switchAgent("plan")
    session.say("NEW")
    const sent = valid(session)
    expect(rebase(session, sent)).toBeUndefined()
    expect(sent.pins).toBe(before?.type === "step" ? before.epoch?.pins : undefined)
    expect(told(sent).match(/The mode changed/g)).toHaveLength(1)
  })
})

describe("reasoning", () => {
  it("is returned verbatim within an epoch", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT, { type: "text", text: "done <system-reminder>" }] })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([
      THOUGHT,
      { type: "text", text: "done <system-reminder>" },
    ])
  })

  it("is stripped by a rebase", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT, { type: "text", text: "done" }] })
    session.switchModel({ id: MODELS.developer })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([{ type: "text", text: "done" }])
  })

  it("alone is no reply: a marker stands beside it", () => {
    const session = start()
    session.say("think")
    exchange(session, { parts: [THOUGHT] })
    session.say("NEW")
    expect([...valid(session).messages][1]?.content).toEqual([
      THOUGHT,
      expect.objectContaining({ text: "[no reply]" }),
    ])
    expect(tail(request(session))).toHaveLength(1)
  })
})

describe("a compaction that keeps a tail", () => {
  it("keeps the newest exchanges whole, and summarises only what comes before them", () => {
    const session = talked()
    session.say("NEW question")
    exchange(session, says("NEW answer"))
    const past = pastOf(session, 8)
    session.compact("We talked.", { tail: 8 })
    session.say("NEXT question")
    const sent = valid(session)
    expect(past.map(({ text }) => text).join()).toContain("OLD")
    expect(past.map(({ text }) => text).join()).not.toContain("NEW")
    expect(everything(sent)).toMatch(/We talked\..*NEW question.*NEW answer.*NEXT question/s)
    expect(everything(sent)).not.toContain("OLD")
  })

  it("says who said what", () => {
    const session = talked()
    session.say("do it")
    exchange(session, calls("c1"))
    session.result("c1", "from the tool")
    session.say("and this", { origin: { kind: "channel", server: "ci" } })
    exchange(session, says("done"))
    const by = pastOf(session).map(({ by, text }) => [by.kind, text])
    expect(by).toContainEqual(["human", "do it"])
    expect(by).toContainEqual(["tool", "from the tool"])
    expect(by).toContainEqual(["channel", "and this"])
    expect(by).toContainEqual(["agent", "done"])
  })

  it("closes an open tool turn with reasoning if asked to, and goes on in the same turn", () => {
    const session = talked()
    session.say("OLD work")
    const first = exchange(session, { parts: [THOUGHT, CALL] })
    session.result("c1", "result")
    session.compact("We talked.", { closeTurn: true })
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["compaction"])
    expect(sent.turn).toBe(first.turn)
    expect(sent.step).toBe(first.step + 1)
    expect(everything(sent)).toMatch(/We talked\..*compacted while you worked/s)
    expect(everything(sent)).not.toContain(THOUGHT.text)
    session.reply(sent.id, says("done"))
    expect(session.phase).toBe("idle")
  })
})

describe("a rewind", () => {
  it("goes back to before the turn that a prompt opened", () => {
    const session = talked()
    const { id } = session.say("WRONG turn")
    exchange(session, calls("c1"))
    session.result("c1", "WRONG result")
    exchange(session, says("WRONG answer"))
    session.rewind(id)
    expect(JSON.stringify(session.view())).not.toContain("WRONG")
    session.say("RIGHT turn")
    const sent = valid(session)
    expect(rebase(session, sent)).toEqual(["rewind"])
    expect(everything(sent)).toMatch(/OLD.*RIGHT turn/s)
    expect(everything(sent)).not.toContain("WRONG")
  })

  it("keeps what is queued, and takes back what the conversation itself had settled", () => {
    const session = talked()
    session.observe("todos", [{ content: "first", status: "pending" }])
    const { id } = session.say("WRONG turn")
    exchange(session, says("WRONG answer"))
    session.observe("todos", [{ content: "WRONG todo", status: "pending" }])
    session.observe("date", "2030-01-01")
    session.say("waits", { delivery: "passive" })
    session.rewind(id)
    expect(session.queue().map(({ content }) => content)).toEqual([[{ type: "text", text: "waits" }]])
    session.compact("We talked.")
    session.say("go on")
    const sent = everything(valid(session))
    expect(sent).toContain("waits")
    expect(sent).not.toContain("WRONG")
    expect(request(session).pins.system).toContain("2030-01-01")
  })

  it("tells again what was told in what is gone", () => {
    const session = talked()
    const { id } = session.say("look")
    session.note({ type: "file.edited", path: "a.ts", before: "a", after: "EDIT" })
    exchange(session, says("seen"))
    session.rewind(id)
    session.say("look again")
    expect(everything(valid(session)).split("EDIT").length).toBe(2)
  })

  it("is taken back, with the bytes that the provider has cached, until something new is sent", () => {
    const session = talked()
    const { id } = session.say("FIRST turn")
    exchange(session, says("FIRST answer"))
    const second = session.say("SECOND turn")
    exchange(session, says("SECOND answer"))
    const shown = JSON.stringify(session.view())
    for (let round = 0; round < 12; round++) {
      session.rewind(second.id)
      session.rewind(id)
      session.redo()
      expect(JSON.stringify(session.view())).toContain("FIRST answer")
      expect(JSON.stringify(session.view())).not.toContain("SECOND")
      session.redo()
      expect(JSON.stringify(session.view())).toBe(shown)
      expect(() => session.redo()).toThrow(/no rewind to take back/)
    }
    expect(JSON.stringify(restoreSession(options(), session.log).view())).toBe(shown)
    session.say("THIRD turn")
    const sent = valid(session)
    expect(rebase(session, sent)).toBeUndefined()
    expect(everything(sent)).toMatch(/FIRST answer.*SECOND answer.*THIRD turn/s)
  })

  it("is not taken back once something new was sent", () => {
    const session = talked()
    const { id } = session.say("FIRST turn")
    exchange(session, says("FIRST answer"))
    session.rewind(id)
    session.say("NEW turn")
    exchange(session, says("NEW answer"))
    expect(() => session.redo()).toThrow(/something was said since/)
  })

  it("refuses what opened no turn, and a running turn", () => {
    const session = talked()
    const { id } = session.say("work")
    expect(() => session.rewind("nobody")).toThrow(/No turn was opened/)
    exchange(session, calls("c1"))
    expect(() => session.rewind(id)).toThrow(/cannot go back while/)
  })

  it("can be the start of another session instead", () => {
    const session = talked()
    const { id } = session.say("WRONG turn")
    exchange(session, says("WRONG answer"))
    const log = forkLog(session.log, id, "fork")
    const fork = restoreSession(options(), log ?? [])
    expect(fork.id).toBe("fork")
    expect(fork.phase).toBe("idle")
    fork.say("RIGHT turn")
    expect(everything(valid(fork))).toMatch(/OLD.*RIGHT turn/s)
    expect(everything(request(fork))).not.toContain("WRONG")
    expect(JSON.stringify(session.view())).toContain("WRONG")
  })
})

describe("tools that change", () => {
  const tool = (name: string) => ({
    name,
    description: `does ${name}`,
    inputSchema: { type: "object" } as const,
  })

  it("are told within the epoch where the provider can be told, and listed anew after", () => {
    const session = start({ model: { id: MODELS.system }, tools: [tool("read")] })
    session.say("go")
    const first = exchange(session, says("ok"))
    session.offerTools([tool("mcp__new")])
    session.say("go on")
    const second = valid(session)
    expect(second.pins).toBe(first.pins)
    expect(second.changesTools).toBe(true)
    expect([...second.messages].at(-1)?.content).toEqual([
      expect.objectContaining({ type: "text" }),
      { type: "tool-removed", name: "read" },
      { type: "tool-added", tool: tool("mcp__new") },
    ])
    session.reply(second.id, says("ok"))
    session.compact("We talked.", { tail: 10_000 })
    session.say("and on")
    const third = valid(session)
    expect(third.pins.tools).toEqual([tool("mcp__new")])
    expect(third.changesTools).toBe(false)
    expect(JSON.stringify(third.messages)).not.toContain("tool-added")
  })

  it("wait for the next epoch elsewhere", () => {
    const session = start({ model: { id: MODELS.plain }, tools: [tool("read")] })
    session.say("go")
    const first = exchange(session, says("ok"))
    session.offerTools([tool("mcp__new")])
    session.say("go on")
    const second = exchange(session, says("ok"))
    expect(second.pins).toBe(first.pins)
    expect(JSON.stringify(second.messages)).not.toContain("mcp__new")
    session.compact("We talked.")
    session.say("and on")
    expect(request(session).pins.tools.map(({ name }) => name)).toEqual(["mcp__new"])
  })

  it("are offered before the first request without a word", () => {
    const session = start({ tools: [tool("read")] })
    session.offerTools([tool("read"), tool("mcp__new")])
    session.say("go")
    const sent = valid(session)
    expect(sent.pins.tools.map(({ name }) => name)).toEqual(["mcp__new", "read"])
    expect(sent.changesTools).toBe(false)
  })
})

describe("a kind that is switched off while the session runs", () => {
  it("keeps silent from the next step, and the ledger says why", () => {
    const session = talked()
    session.setReminder("edited_text_file", false)
    session.note({ type: "file.edited", path: "a.ts", before: "a", after: "b" })
    session.say("go")
    expect(everything(valid(session))).not.toContain("a.ts")
    expect(session.ledger(1).find(({ kind }) => kind === "edited_text_file")?.outcome).toBe("disabled")
    expect(() => session.setReminder("nothing_of_the_kind", false)).toThrow(/no rule of the kind/)
  })
})

describe("a range of ids", () => {
  it("names everything between its ends", () => {
    const session = start({ snip: true })
    const { id: first } = session.say("OLD one")
    exchange(session, says("a"))
    session.say("OLD two")
    exchange(session, says("b"))
    const { id: last } = session.say("OLD three")
    exchange(session, says("c"))
    const { removed } = session.snip([`${first}..${last}`])
    expect(removed).toHaveLength(3)
    session.say("go on")
    expect(everything(valid(session))).not.toContain("OLD")
  })
})
