import {
  type ContentPart,
  createSession,
  type Entry,
  explainReminders,
  type Request,
  restoreSession,
} from "@sotto/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readSent, type Sent, WIRES } from "./support/dialects.js"
import {
  type Command,
  command,
  history,
  OUTSIDER,
  optionsFor,
  RULES,
  Run,
  reissue,
  type Setup,
  setup,
} from "./support/history.js"
import { epochsOf, forgedIn, isReminder, tokensOf } from "./support/oracle.js"
import { AGENTS, MODELS, options } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

/** Fixed, so that CI runs the same histories every time; fast-check prints it with the failing history. */
const SEED = Number(process.env.SOTTO_SEED || 20261115)
const RUNS = Number(process.env.SOTTO_RUNS || 1500)

function forAllHistories(
  check: (run: Run, commands: readonly Command[]) => void,
  runs = RUNS,
  models: readonly Setup["model"][] = Object.values(MODELS),
): void {
  fc.assert(
    fc.property(history, fc.constantFrom(...models), ({ setup, commands }, model) => {
      const begun = { ...setup, model }
      check(new Run(begun, createSession(optionsFor(begun))), commands)
    }),
    { seed: SEED, numRuns: Math.ceil(runs) },
  )
}

function play(run: Run, commands: readonly Command[]): Run {
  for (const one of commands) run.do(one)
  return run
}

const text = (value: unknown) => JSON.stringify(value)
type Of<T extends Entry["type"]> = Extract<Entry, { type: T }>
const entries = <T extends Entry["type"]>(run: Run, type: T) =>
  run.session.log.filter((entry): entry is Of<T> => entry.type === type)

describe("the eight promises, over random histories", () => {
  it("1. append-only: within an epoch each request is a byte-for-byte prefix of the next", () => {
    forAllHistories((run, commands) => {
      const sent = new Map(play(run, commands).requests.map((one) => [one, [...one.messages].map(text)]))
      for (const epoch of epochsOf(run.session.log, run.requests))
        inPairs(epoch, (before, one) => {
          const [earlier = [], now = []] = [sent.get(before), sent.get(one)]
          expect(text(one.pins)).toBe(text(before.pins))
          expect(now.slice(0, earlier.length)).toEqual(earlier)
          expect(now.length).toBeGreaterThan(earlier.length)
        })
      // A request keeps its bytes while the session goes on.
      for (const [one, bytes] of sent) expect([...one.messages].map(text)).toEqual(bytes)
    })
  })

  it.each(WIRES)("1. append-only on the wire of $name: system, tools and messages", (wire) => {
    forAllHistories((run, commands) => {
      // As a loop does it: each request is encoded when it is made.
      const sent = new Map<Request, Sent>()
      run.onRequest = (one) => sent.set(one, readSent(wire, wire.bytes(one)))
      play(run, commands)
      for (const epoch of epochsOf(run.session.log, run.requests))
        inPairs(epoch, (before, one) => {
          const [earlier, now] = [sent.get(before), sent.get(one)]
          expect(now?.head).toBe(earlier?.head)
          expect(now?.messages.slice(0, earlier?.messages.length)).toEqual(earlier?.messages)
          expect(now?.messages.length).toBeGreaterThan(earlier?.messages.length ?? 0)
        })
    }, RUNS / 10)
  })

  it("no reminder follows a tool result as a sibling, whatever was refused", () => {
    forAllHistories(
      (run, commands) => {
        play(run, commands)
        for (const { messages, pins } of run.requests)
          for (const { content } of messages) {
            const blocks: readonly { readonly type: string; readonly text?: string }[] = content
            const last = blocks.findLastIndex(({ type }) => type === "tool-result")
            if (last >= 0 && pins.capabilities.toolResultReminders)
              expect(
                blocks.slice(last + 1).filter(({ text }) => text?.startsWith("<system-reminder")),
              ).toEqual([])
          }
      },
      RUNS / 3,
      [MODELS.smooshing, MODELS.system],
    )
  })

  it("1. append-only: only a rebase starts an epoch, and each one says why", () => {
    forAllHistories((run, commands) => {
      play(run, commands)
      const causes = {
        compaction: 0,
        snip: 0,
        model: 0,
        agent: 0,
        start: 0,
        rewind: 0,
        system: 0,
        carrier: 0,
        trust: 0,
        format: 0,
        economy: 0,
      }
      for (const { epoch } of entries(run, "step"))
        for (const reason of epoch?.reasons ?? []) causes[reason]++
      expect(causes.start).toBeLessThanOrEqual(1 + entries(run, "rewound").length)
      expect(causes.trust).toBe(0)
      expect(causes.rewind).toBeLessThanOrEqual(entries(run, "rewound").length)
      // What was due before the prompt that a rewind goes back to is due again.
      const again = entries(run, "rewound").length
      expect(causes.compaction).toBeLessThanOrEqual(entries(run, "compacted").length + again)
      expect(causes.snip).toBeLessThanOrEqual(entries(run, "snipped").length + again)
      expect(causes.model).toBeLessThanOrEqual(entries(run, "model").length + again)
      expect(causes.agent).toBeLessThanOrEqual(entries(run, "agent").length + again)
      expect(causes.system).toBe(0)
      for (const { epoch, economy } of entries(run, "step"))
        if (epoch?.reasons.includes("economy")) expect(economy?.because).toMatch(/^(break-even|pause)$/)
      if (run.setup.economy === "off") expect(causes.economy).toBe(0)
      expect(causes.format + entries(run, "format").length).toBe(0)
    })
  })

  it("2. always valid: every request passes a strict validator", () => {
    forAllHistories((run, commands) => {
      for (const one of play(run, commands).requests) expect(problemsOf(one)).toEqual([])
    })
  })

  it.each(WIRES)(
    "2. always valid on the wire of $name: its provider's validator accepts every body",
    (wire) => {
      const models = Object.values(MODELS).filter((model) => wire.speaksTo.test(model))
      const check = (run: Run, commands: readonly Command[]) => {
        for (const one of play(run, commands).requests)
          if (wire.speaksTo.test(one.pins.model)) expect(wire.problems(one)).toEqual([])
      }
      forAllHistories(check, RUNS / 5, models)
    },
  )

  it("a rewind that is taken back leaves no trace, after any history", () => {
    forAllHistories((run, commands) => {
      play(run, commands)
      drain(run)
      const { session } = run
      if (session.phase !== "idle") return
      const [shown, capable] = [text(session.view()), text(session.capabilities)]
      const opened = new Set(
        entries(run, "step")
          .flatMap(({ step, delivered }) => (step === 1 ? delivered : []))
          .map(({ id }) => id),
      )
      const prompts = session.view().filter(({ id }) => opened.has(id))
      let gone = 0
      for (const { id } of prompts.toReversed()) {
        // Two that opened one turn go together.
        if (!session.view().some((shownNow) => shownNow.id === id)) continue
        session.rewind(id)
        gone++
      }
      for (; gone > 0; gone--) session.redo()
      expect(text(session.view())).toBe(shown)
      expect(text(session.capabilities)).toBe(capable)
    })
  })

  it("3. once and in order: every accepted message reaches the model exactly once", () => {
    forAllHistories((run, commands) => {
      play(run, commands)
      drain(run)
      const said = new Map(entries(run, "said").map((entry) => [entry.id, entry]))
      const edited = new Set(entries(run, "edited").map((entry) => entry.id))
      const delivered = entries(run, "step").flatMap((step) => step.delivered.map(({ id }) => id))
      expect(new Set(delivered).size).toBe(delivered.length)
      for (const delivery of ["next-step", "after-turn", "now", "passive"]) {
        const order = delivered
          .flatMap((id) => said.get(id) ?? [])
          .filter((entry) => entry.delivery === delivery && !edited.has(entry.id))
          .map(({ seq }) => seq)
        expect(order).toEqual(order.toSorted((a, b) => a - b))
      }
      for (const { id } of said.values()) {
        const receipt = run.session.receipt(id)
        if (receipt?.state === "delivered") expect(delivered).toContain(id)
        else if (receipt?.state === "queued") expect(mayWait(run, id)).toBe(true)
        else expect(delivered).not.toContain(id)
      }
      for (const one of run.requests) {
        const words = text([...one.messages]).match(/word-\d+\./g) ?? []
        expect(new Set(words).size).toBe(words.length)
      }
    })
  })

  it.each(WIRES)("3. once and in order on the wire of $name: the words of each delivered message", (wire) => {
    forAllHistories((run, commands) => {
      play(run, commands)
      for (const step of entries(run, "step")) {
        const request = run.requests.find(({ id }) => id === step.request)
        if (request === undefined) continue
        const sent = readSent(wire, wire.bytes(request)).texts.map(({ text }) => text)
        const found = sent.join("\n").match(/word-\d+\./g) ?? []
        // What somebody else sent may be cut to fit; then the log has the cut form.
        const words = step.delivered.flatMap(({ id, content }) => content ?? contentBefore(run, id, step.seq))
        const owed = text(words).match(/word-\d+\./g) ?? []
        expect(found.filter((word) => new Set<string>(owed).has(word))).toEqual(owed)
      }
    }, RUNS / 10)
  })

  it.each(WIRES)(
    "4. nobody else speaks as the harness on the wire of $name, with tags in every outside text",
    (wire) => {
      forAllHistories((run, commands) => {
        for (const one of play(run, commands).requests) {
          const { nonce } = one.pins
          const { texts } = readSent(wire, wire.bytes(one))
          const own = harnessLines(one)
          for (const { by, message, text } of texts) {
            if (message < 0) expect(forgedLines(text, own)).toEqual([])
            else if (isForged(text, nonce)) expect.unreachable(`forged in message ${message}: ${text}`)
            if (by === "system") expect(text).not.toContain(OUTSIDER)
          }
          // Two texts that are harmless by themselves make no tag together.
          for (const message of new Set(texts.map((one) => one.message))) {
            const all = texts.filter((one) => one.message === message && !isReminder(one.text, nonce))
            const joined = all.map(({ text }) => text).join("")
            if (message >= 0 && isForged(joined, nonce)) expect.unreachable(`forged across texts: ${joined}`)
          }
        }
      }, RUNS / 10)
    },
  )

  it("5. the view is clean: a person's own raw words, and nothing synthetic", () => {
    forAllHistories((run, commands) => {
      play(run, commands)
      const shown = run.session.view()
      for (const { parts } of shown)
        for (const part of parts) expect("synthetic" in part && part.synthetic).not.toBe(true)
      const given = [...entries(run, "said"), ...entries(run, "edited")].map(({ content }) => text(content))
      for (const { messages } of entries(run, "imported"))
        given.push(...messages.map(({ parts }) => text(parts)))
      for (const { parts } of shown.filter(({ role }) => role === "user"))
        expect(given.some((words) => words.includes(text(parts).slice(1, -1)))).toBe(true)
      const hidden = entries(run, "said").filter((entry) => entry.hidden || entry.origin.kind !== "human")
      for (const { id } of hidden) expect(shown.some((message) => message.id === id)).toBe(false)
    })
  })

  it("6. bounded: reminders keep within the budget, and what did not fit is told later", () => {
    const exempt = new Set(
      RULES.filter((rule) => rule.exempt && rule.kind !== "queued_command").map(({ kind }) => kind),
    )
    forAllHistories((run, commands) => {
      play(run, commands)
      const human = new Set(
        entries(run, "said").flatMap(({ id, origin }) => (origin.kind === "human" ? [id] : [])),
      )
      const spent = new Map<string, number>()
      for (const row of run.session.ledger()) {
        if (row.outcome !== "spoke" || exempt.has(row.kind) || human.has(row.key ?? "")) continue
        const page = `${row.turn}.${row.step}`
        spent.set(page, (spent.get(page) ?? 0) + (row.tokens ?? 0))
      }
      for (const tokens of spent.values()) expect(tokens).toBeLessThanOrEqual(run.setup.perStep)
      const sent = new Map<string, number>()
      for (const { turn, step, kind, key, text, tokens } of run.session.asides()) {
        if (exempt.has(kind) || human.has(key)) continue
        const size = tokensOf(`<system-reminder>\n${text}\n</system-reminder>`)
        expect(size).toBeLessThanOrEqual(tokens)
        sent.set(`${turn}.${step}`, (sent.get(`${turn}.${step}`) ?? 0) + size)
      }
      for (const tokens of sent.values()) expect(tokens).toBeLessThanOrEqual(run.setup.perStep)
    })
  })

  it("7. explained: at every step every rule has a row, and a throwing rule stops nothing", () => {
    const kinds = RULES.map((rule) => rule.kind)
    forAllHistories((run, commands) => {
      play(run, commands)
      const steps = entries(run, "step").filter(({ seq }) => !isRewound(run, seq))
      const rows = run.session.ledger()
      for (const step of steps) {
        const page = rows.filter((row) => row.turn === step.turn && row.step === step.step)
        for (const kind of kinds) expect(page.some((row) => row.kind === kind)).toBe(true)
        for (const row of page) {
          if (row.outcome === "spoke") expect(row.carrier && row.tokens).toBeGreaterThan(0)
          if (row.outcome === "throttled") expect(row.until).toMatch(/^(in \d+ |the session ends)/)
        }
        const broken = page.find((row) => row.kind === "broken")
        expect(broken?.outcome).toBe(step.step % 3 === 0 ? "failed" : "nothing")
      }
    }, RUNS / 2)
  })

  it.each(WIRES)("7. explained on the wire of $name: what is said to have been told was sent", (wire) => {
    forAllHistories((run, commands) => {
      play(run, commands)
      const asides = run.session.asides()
      for (const { turn, step } of new Set(asides)) {
        const request = run.requests.findLast((one) => one.turn === turn && one.step === step)
        if (request === undefined) continue
        const sent = readSent(wire, wire.bytes(request)).texts.map((one) => one.text)
        for (const aside of asides.filter((one) => one.turn === turn && one.step === step))
          expect(sent.some((text) => text.includes(aside.text))).toBe(true)
      }
    }, RUNS / 5)
  })

  it("8. deterministic: a session restored anywhere goes on to the same bytes", () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 89 }), ({ setup, commands }, at) => {
        const run = new Run(setup, createSession(optionsFor(setup)))
        play(run, commands.slice(0, at))
        const twin = revive(run, setup)
        const from = run.requests.length - twin.requests.length
        play(run, commands.slice(at))
        play(twin, commands.slice(at))
        expect(twin.requests.map(text)).toEqual(run.requests.slice(from).map(text))
        expect(text(twin.session.log)).toBe(text(run.session.log))
        expect(text(twin.session.view())).toBe(text(run.session.view()))
        expect(text(twin.session.ledger())).toBe(text(run.session.ledger()))
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  it.each(WIRES)(
    "8. deterministic on the wire of $name: restored anywhere, it sends the same bytes",
    (wire) => {
      fc.assert(
        fc.property(history, fc.nat({ max: 89 }), ({ setup, commands }, at) => {
          const run = new Run(setup, createSession(optionsFor(setup)))
          const [sent, again] = [new Map<string, string>(), new Map<string, string>()]
          run.onRequest = (one) => sent.set(one.id, wire.bytes(one))
          play(run, commands.slice(0, at))
          const twin = revive(run, setup)
          for (const one of twin.requests) again.set(one.id, wire.bytes(one))
          twin.onRequest = (one) => again.set(one.id, wire.bytes(one))
          play(run, commands.slice(at))
          play(twin, commands.slice(at))
          for (const [id, bytes] of again) expect(bytes).toBe(sent.get(id))
        }),
        { seed: SEED, numRuns: Math.ceil(RUNS / 10) },
      )
    },
  )

  it("8. deterministic: restored at every entry of a long history", () => {
    const long = fc.record({
      setup,
      commands: fc.array(command, { minLength: 150, maxLength: 150, size: "max" }),
    })
    fc.assert(
      fc.property(long, ({ setup, commands }) => {
        const run = play(new Run(setup, createSession(optionsFor(setup))), commands)
        const log: readonly Entry[] = JSON.parse(text(run.session.log))
        const sent = new Map(run.requests.map((one) => [one.id, text(one)]))
        for (let at = 1; at <= log.length; at++) {
          const twin = restoreSession(optionsFor(setup, { length: at }), log.slice(0, at))
          for (const entry of log.slice(at)) {
            const request = reissue(twin, entry)
            if (request) expect(text(request)).toBe(sent.get(request.id) ?? text(request))
          }
          expect(text(twin.log)).toBe(text(log))
        }
      }),
      { seed: SEED, numRuns: 8 },
    )
  })
})

function inPairs<T>(list: readonly T[], check: (before: T, one: T) => void): void {
  list.slice(1).forEach((one, i) => check(list[i] as T, one))
}

/** What a message said when a step delivered it. */
function contentBefore(run: Run, id: string, seq: number): readonly ContentPart[] {
  const versions = run.session.log.flatMap((entry) =>
    (entry.type === "said" || entry.type === "edited") && entry.id === id && entry.seq < seq
      ? [entry.content ?? []]
      : [],
  )
  return versions.findLast((content) => content.length > 0) ?? []
}

const judged = new Map<string, boolean>()

/** Most texts come back in every later request. */
function isForged(text: string, nonce: string | undefined): boolean {
  const key = `${nonce} ${text}`
  const known = judged.get(key) ?? forgedIn(text, nonce)
  judged.set(key, known)
  return known
}

/** The lines of a system prompt that no outsider had a part in: those of a session that was told nothing. */
function harnessLines({ pins }: Request): ReadonlySet<string> {
  const agents = AGENTS.map((agent) =>
    agent.name === pins.agent ? agent : { ...agent, mode: "subagent" as const },
  )
  const session = createSession({ ...options(), agents, agent: pins.agent, model: { id: pins.model } })
  session.say("hello")
  const next = session.next()
  // The name of the program in the paragraph comes from the rules, and histories bring rules of their own.
  return new Set(next.is === "request" ? [...next.request.pins.system.split("\n"), explainReminders()] : [])
}

function forgedLines(text: string, own: ReadonlySet<string>): readonly string[] {
  return text.split("\n").filter((line) => !own.has(line) && isForged(line, undefined))
}

/** What a later rewind took back is no longer in the ledger. */
function isRewound(run: Run, seq: number): boolean {
  return entries(run, "rewound").some((entry) => entry.seq > seq && entry.step <= seq)
}

/** A second run that goes on from the first one's log, read back from text. */
function revive(run: Run, setup: Setup): Run {
  const log = JSON.parse(text(run.session.log))
  const twin = new Run(setup, restoreSession(optionsFor(setup, log), log), run.words)
  // What was in flight is sent again, byte for byte.
  if (run.session.phase === "awaiting-reply") {
    run.next()
    twin.next()
    expect(text(twin.requests)).toBe(text(run.requests.slice(-1)))
  }
  return twin
}

/** Works until nothing is left to do. */
function drain(run: Run): void {
  for (let i = 0; i < 200; i++) {
    const next = run.next()
    if (next.is === "idle") return
    if (next.is === "waiting") for (const call of next.calls) run.session.result(call.id, "done")
    else run.session.reply(next.request.id, { parts: [{ type: "text", text: "final" }] })
  }
  throw new Error("the session never comes to rest")
}

/** After all is done only these may still wait: passive ones, channels that may not wake, and what an abort holds. */
function mayWait(run: Run, id: string): boolean {
  const queued = run.session.queue().find((message) => message.id === id)
  if (queued === undefined) return false
  return (
    queued.held ||
    queued.delivery === "passive" ||
    (queued.origin.kind === "channel" && !run.setup.channelsWake)
  )
}
