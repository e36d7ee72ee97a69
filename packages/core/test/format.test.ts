import {
  type AssistantPart,
  createSession,
  type Entry,
  type Request,
  restoreSession,
  type Session,
} from "@sotto/core"
import { encode } from "@sotto/core/anthropic"
import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { FORMAT } from "../src/vocabulary/request.js"
import { HISTORIES, optionsOf, requestsIn } from "./golden/histories.js"
import { readGolden } from "./golden/store.js"
import { history, optionsFor, Run } from "./support/history.js"
import { epochsOf } from "./support/oracle.js"
import { calls, everything, exchange, MODELS, options, request, says, start } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

/** Which version of Sotto runs. A later one escapes more in its guard and words a marker anew. */
const { version, LATER } = vi.hoisted(() => ({
  version: { isLater: false, raised: 0 },
  LATER: { inert: "[\\[", marker: "[nothing was replied]" },
}))

vi.mock("../src/vocabulary/request.js", async (original) => {
  const present = await original<typeof import("../src/vocabulary/request.js")>()
  return {
    ...present,
    get FORMAT() {
      return present.FORMAT + version.raised
    },
  }
})
vi.mock("../src/epoch/markers.js", async (original) => {
  const { MARKERS, ...others } = await original<typeof import("../src/epoch/markers.js")>()
  const later = { ...MARKERS, emptyReply: LATER.marker }
  return {
    ...others,
    get MARKERS() {
      return version.isLater ? later : MARKERS
    },
  }
})
vi.mock("../src/text/guard/outside.js", async (original) => {
  const { outsideText, ...others } = await original<typeof import("../src/text/guard/outside.js")>()
  const later = (text: string) => {
    const { text: safe, count } = outsideText(text)
    return { text: safe.replaceAll("[[", LATER.inert), count }
  }
  return { ...others, outsideText: (text: string) => (version.isLater ? later : outsideText)(text) }
})

const PRESENT = FORMAT
const NEXT = PRESENT + 1

/** From here on a later version runs. If it is a careless one, its format is the same. */
function upgrade(raised = 1): void {
  version.isLater = true
  version.raised = raised
}
function downgrade(): void {
  version.isLater = false
  version.raised = 0
}
afterEach(downgrade)

const text = (value: unknown) => JSON.stringify(value)
const types = (log: readonly Entry[]) => log.map(({ type }) => type)
const THOUGHT = { type: "reasoning", text: "hm", signature: "sig" } as const satisfies AssistantPart
const CALL: AssistantPart = { type: "tool-call", id: "c2", name: "read", input: {} }

/** A session whose bytes the newer guard and the newer marker would both have written otherwise. */
function talked(model: string = MODELS.smooshing): Session {
  const session = start({ model: { id: model } })
  session.say("Look at [[this]].")
  exchange(session, { parts: [THOUGHT, { type: "tool-call", id: "c1", name: "read", input: {} }] })
  session.result("c1", "[[done]]")
  exchange(session, { parts: [] })
  return session
}

const logOf = (session: Session): Entry[] => JSON.parse(text(session.log))
const restored = (session: Session, onAppend?: (entries: readonly Entry[]) => void): Session =>
  restoreSession(options(onAppend ? { onAppend } : {}), logOf(session))

/** The session as a later version restores it. */
function upgraded(session: Session, onAppend?: (entries: readonly Entry[]) => void): Session {
  upgrade()
  return restored(session, onAppend)
}

describe("a session that a Sotto of another format goes on with", () => {
  it("is changed by nothing but its next request", () => {
    const before = talked()
    const appended: Entry[] = []
    const session = upgraded(before, (entries) => appended.push(...entries))
    expect(session.next().is).toBe("idle")
    session.recover()
    expect(appended).toEqual([])
    expect(text(session.log)).toBe(text(before.log))
    expect(text(session.view())).toBe(text(before.view()))
  })

  it("logs why its next request begins an epoch, and sends all of it in the new format", () => {
    const before = talked()
    const session = upgraded(before)
    session.say("Go on.")
    const sent = request(session)
    expect(types(session.log).slice(before.log.length)).toEqual(["said", "format", "step"])
    expect(session.log.at(-2)).toMatchObject({ type: "format", format: NEXT })
    expect(sent.pins.format).toBe(NEXT)
    expect(everything(sent)).toContain(`Look at ${LATER.inert}this]].`)
    expect(everything(sent)).toContain(LATER.marker)
    expect(everything(sent)).not.toMatch(/\[\[|no reply|hm/)
    expect(problemsOf(sent)).toEqual([])
  })

  it("keeps system and tools, which are in the log, and lets no rule speak again", () => {
    const before = start()
    before.observe("date", "2026-11-15")
    before.say("Begin.")
    const first = exchange(before, says("ok"))
    const session = upgraded(before)
    session.say("Go on.")
    const sent = request(session)
    expect(sent.pins.system).toBe(first.pins.system)
    expect(sent.pins.tools).toEqual(first.pins.tools)
    const spoken = session.log.flatMap((entry) => (entry.type === "step" ? entry.reminders : []))
    expect(spoken).toEqual([])
  })

  it("goes on append-only, and is restored to the same bytes, without a second rebase", () => {
    const session = upgraded(talked())
    session.say("Go on.")
    const sent = exchange(session, says("ok"))
    session.say("And on.")
    const again = restored(session)
    const next = request(again)
    expect(text([...next.messages].slice(0, sent.messages.length))).toBe(text(sent.messages))
    expect(next.pins).toEqual(sent.pins)
    expect(types(again.log).filter((type) => type === "format")).toHaveLength(1)
    expect(text(request(session))).toBe(text(next))
  })

  it("sends a request again that had no reply yet, as another one, and takes no reply to the old one", () => {
    const before = talked()
    before.say("Go on with [[that]].", { id: "m" })
    const lost = request(before)
    const session = upgraded(before)
    const sent = request(session)
    expect(sent.id).not.toBe(lost.id)
    expect([sent.turn, sent.step]).toEqual([lost.turn, lost.step])
    expect(everything(sent).match(/Go on with/g)).toHaveLength(1)
    expect(everything(sent)).not.toContain("[[")
    expect(request(session)).toBe(sent)
    expect(session.reply(lost.id, says("late"))).toEqual({ taken: false, why: "late" })
    session.reply(sent.id, says("ok"))
    expect(session.phase).toBe("idle")
    expect(session.receipt("m")?.state).toBe("delivered")
  })

  it("takes a reply to the old request that arrives before the session is asked what to do", () => {
    const before = talked()
    before.say("Go on.")
    const lost = request(before)
    const session = upgraded(before)
    session.reply(lost.id, says("just in time"))
    session.say("And on.")
    expect(everything(request(session))).toContain("just in time")
  })

  it.each([
    ["comes back in an open tool turn, and is stripped before it", MODELS.smooshing, 1],
    ["is stripped everywhere where the model ties it to earlier bytes", MODELS.system, 0],
  ])("reasoning %s", (_, model, kept) => {
    const before = talked(model)
    before.say("Work.")
    exchange(before, { parts: [THOUGHT, CALL] })
    const session = upgraded(before)
    session.result("c2", "[[result]]")
    const sent = request(session)
    expect(sent.pins.format).toBe(NEXT)
    const thoughts = [...sent.messages].flatMap(({ content }) =>
      content.filter((block) => block.type === "reasoning"),
    )
    expect(thoughts).toHaveLength(kept)
    expect([...sent.messages].at(-2)?.content).toContainEqual(CALL)
    expect(problemsOf(sent)).toEqual([])
  })

  it("makes one epoch of it where another rebase is due anyway", () => {
    const session = upgraded(talked())
    session.compact("We talked.")
    session.say("Go on.")
    request(session)
    const step = session.log.at(-1)
    expect(step?.type === "step" && step.epoch?.reasons).toEqual(["compaction", "format"])
    expect(types(session.log)).not.toContain("format")
  })

  it("lists the tools anew that came and went in the old epoch", () => {
    const before = talked(MODELS.system)
    before.offerTools([{ name: "late", description: "Came late.", inputSchema: { type: "object" } }])
    before.say("Work.")
    exchange(before, calls("c2"))
    const session = upgraded(before)
    session.result("c2", "ok")
    const sent = request(session)
    expect(sent.pins.tools.map(({ name }) => name)).toEqual(["late"])
    expect(sent.changesTools).toBe(false)
    expect(text(sent.messages)).not.toContain("tool-added")
  })

  it("goes back to the old format in the same way", () => {
    const session = upgraded(talked())
    session.say("Go on.")
    exchange(session, says("ok"))
    session.say("And back.")
    downgrade()
    const older = restored(session)
    expect(everything(request(older))).toContain("Look at [[this]].")
    expect(types(older.log).filter((type) => type === "format")).toHaveLength(2)
  })
})

describe("every golden log that a Sotto of another format goes on with", () => {
  it.each(readGolden(PRESENT))("$name: sends what was in flight again, and says why", (golden) => {
    const history = HISTORIES.find(({ name }) => name === golden.name)
    upgrade()
    for (const { length } of requestsIn(golden.log)) {
      const session = restoreSession(history ? optionsOf(history) : options(), golden.log.slice(0, length))
      const sent = request(session)
      expect([sent.pins.format, ...problemsOf(sent)]).toEqual([NEXT])
      expect(types(session.log.slice(length))).toEqual(["format"])
    }
  })
})

describe("a session that a Sotto of the same format goes on with", () => {
  it("has nothing placed anew, and the same bytes", () => {
    const before = talked()
    const session = restored(before)
    before.say("Go on.")
    session.say("Go on.")
    expect(text(encode(request(session)))).toBe(text(encode(request(before))))
    expect(types(session.log)).not.toContain("format")
  })

  it("would quietly send other bytes if a change of guard or marker did not raise the format", () => {
    const before = talked()
    const [session, other] = [restored(before), restored(before)]
    session.say("Go on.")
    const bytes = text(encode(request(session)))
    upgrade(0)
    const careless = restored(other)
    careless.say("Go on.")
    expect(text(encode(request(careless)))).not.toBe(bytes)
    expect(types(careless.log)).not.toContain("format")
  })
})

describe("any history that a Sotto of another format goes on with", () => {
  it("stays valid and append-only, delivers each message once, and rebases once", () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 60 }), ({ setup, commands }, at) => {
        downgrade()
        const before = new Run(setup, createSession(optionsFor(setup)))
        for (const one of commands.slice(0, at)) before.do(one)
        const length = before.session.log.length
        upgrade()
        const run = new Run(
          setup,
          restoreSession(optionsFor(setup, before.session.log), logOf(before.session)),
          before.words,
        )
        for (const one of commands.slice(at)) run.do(one)
        for (const one of run.requests) expect([one.pins.format, ...problemsOf(one)]).toEqual([NEXT])
        const since = run.session.log.slice(length)
        expect(text(run.session.log.slice(0, length))).toBe(text(before.session.log))
        expect(since.filter(({ type }) => type === "format").length).toBeLessThanOrEqual(1)
        const delivered = run.session.log.flatMap((entry) =>
          entry.type === "step" ? entry.delivered.map(({ id }) => id) : [],
        )
        expect(new Set(delivered).size).toBe(delivered.length)
        for (const epoch of epochsOf(run.session.log, run.requests))
          epoch.slice(1).forEach((one, i) => {
            const before = epoch[i] as Request
            expect(text([...one.messages].slice(0, before.messages.length))).toBe(text(before.messages))
            expect(one.pins).toEqual(before.pins)
          })
      }),
      { seed: 20261116, numRuns: 150 },
    )
  })
})
