import {
  createSession,
  defineRule,
  dynamic,
  type Entry,
  type ErrorCode,
  LOG_VERSION,
  type Rule,
  restoreSession,
  type Session,
  type SessionOptions,
  SottoError,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, exchange, options, request, says, start, turn } from "./support/session.js"

function caught(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}

/** The error says what was wrong, and what to do instead. */
function expectError(code: ErrorCode, what: RegExp, act: () => unknown): void {
  const error = caught(act)
  if (!(error instanceof SottoError)) throw new Error(`expected a SottoError, got ${String(error)}`)
  expect(error.code).toBe(code)
  expect(error.message).toMatch(what)
  expect(error.remedy.length).toBeGreaterThan(10)
  expect(error.message.endsWith(error.remedy)).toBe(true)
}

/** Nothing has happened: the log, the phase and what comes next are as before. */
function expectUnchanged(session: Session, act: () => void): void {
  const before = JSON.stringify([session.log, session.phase, session.queue(), session.view(), session.agent])
  act()
  expect(JSON.stringify([session.log, session.phase, session.queue(), session.view(), session.agent])).toBe(
    before,
  )
}

const circle: Record<string, unknown> = { type: "circle" }
circle.self = circle

function inFlight(): Session {
  const session = start()
  session.say("Go")
  request(session)
  return session
}

function withCall(): Session {
  const session = start()
  session.say("Go")
  exchange(session, calls("c1"))
  return session
}

type Wrong = readonly [string, ErrorCode, RegExp, () => Session, (session: Session) => unknown]

const WRONG: readonly Wrong[] = [
  [
    "a reply when none is awaited",
    "no-reply-awaited",
    /Call next\(\) first/,
    start,
    (s) => s.reply("req-9", says("?")),
  ],
  [
    "a reply to another request",
    "no-reply-awaited",
    /The one that is: req-2/,
    inFlight,
    (s) => s.reply("nobody", says("?")),
  ],
  [
    "a reply to an entry that made no request",
    "no-reply-awaited",
    /No request req-1/,
    withCall,
    (s) => s.reply("req-1", says("?")),
  ],
  [
    "what was said so far of another request",
    "no-reply-awaited",
    /The one that is: req-2/,
    inFlight,
    (s) => s.partial("nobody", says("?")),
  ],
  [
    "a result for an unknown call",
    "unknown-call",
    /"c9".*Answer one of: c1/,
    withCall,
    (s) => s.result("c9", "?"),
  ],
  ["a result when no call is open", "unknown-call", /call of next\(\)/, start, (s) => s.result("c1", "?")],
  ["an unknown agent", "unknown-agent", /"nobody".*build, plan/, start, (s) => s.switchAgent("nobody")],
  [
    "a fact that is not JSON",
    "bad-input",
    /value should be plain data, not a bigint/,
    start,
    (s) => s.observe(dynamic("big"), 1n),
  ],
  [
    "a fact that is a function",
    "bad-input",
    /value should be plain data, not a function/,
    start,
    (s) => s.observe(dynamic("f"), () => 1),
  ],
  [
    "a fact that is undefined",
    "bad-input",
    /value should be plain data and is missing/,
    start,
    (s) => s.observe(dynamic("u"), undefined),
  ],
  [
    "a signal that is not JSON",
    "bad-input",
    /signal\.self.*contains itself/,
    start,
    (s) => s.note(dynamic(circle as { type: string })),
  ],
  [
    "a result that is not JSON",
    "bad-input",
    /output\.0\.self/,
    withCall,
    (s) => s.result("c1", [circle as never]),
  ],
  ["a message that is not JSON", "bad-input", /content\.0\.self/, start, (s) => s.say([circle as never])],
  [
    "a reply that is not JSON",
    "bad-input",
    /reply\.parts\.0/,
    inFlight,
    (s) => s.reply("req-2", { parts: [circle as never] }),
  ],
  ["an import while a turn runs", "not-idle", /awaiting-results/, withCall, (s) => s.importMessages([])],
  ["an import while a prompt waits", "not-idle", /ready/, () => prompted(), (s) => s.importMessages([])],
  ["an empty summary", "bad-options", /summary is empty/, start, (s) => s.compact(" \n")],
  ["refusing the last carrier", "not-refusable", /user-text/, inFlight, (s) => s.refuseCarrier("user-text")],
]

function prompted(): Session {
  const session = start()
  session.say("Go")
  return session
}

describe("wrong use", () => {
  it.each(WRONG)("%s is refused and changes nothing", (_, code, what, prepare, act) => {
    const session = prepare()
    expectUnchanged(session, () => expectError(code, what, () => act(session)))
  })
})

describe("options that cannot work", () => {
  const rule = (more: Partial<Rule> = {}): Rule => ({ kind: "mine", decide: () => [], ...more })
  const tool = (name: string) => ({ name, description: "", inputSchema: {} })

  it.each<[string, ErrorCode, RegExp, Partial<SessionOptions>]>([
    ["no agents", "bad-options", /`agents` is empty/, { agents: [] }],
    [
      "two agents of one name",
      "bad-options",
      /Two agents are called "a"/,
      { agents: [{ name: "a" }, { name: "a" }] },
    ],
    ["no primary agent", "bad-options", /No agent is primary/, { agents: [{ name: "a", mode: "subagent" }] }],
    ["an unknown agent to start with", "unknown-agent", /"nobody"/, { agent: "nobody" }],
    ["no steps", "bad-options", /steps 0/, { agents: [{ name: "a", steps: 0 }] }],
    ["half a step", "bad-options", /steps 1\.5/, { agents: [{ name: "a", steps: 1.5 }] }],
    ["two tools of one name", "bad-options", /Two tools are called "t"/, { tools: [tool("t"), tool("t")] }],
    ["a tool name that no provider takes", "bad-options", /"my tool"/, { tools: [tool("my tool")] }],
    ["a tool name that is too long", "bad-options", /64 letters/, { tools: [tool("t".repeat(65))] }],
    ["a negative budget", "bad-options", /perStep is -1/, { budget: { perStep: -1 } }],
    [
      "a budget that is no number",
      "bad-input",
      /perStep should be a number, not NaN/,
      { budget: { perStep: Number.NaN } },
    ],
    ["a share over one", "bad-options", /share is 1\.5/, { budget: { share: 1.5 } }],
    ["two rules of one kind", "duplicate-kind", /"mine"/, { rules: [rule(), rule()] }],
    [
      "a rule of the inbox's kind",
      "duplicate-kind",
      /queued_command/,
      { rules: [rule({ kind: "queued_command" })] },
    ],
    ["a kind with spaces", "bad-options", /"my kind"/, { rules: [rule({ kind: "my kind" })] }],
    [
      "a negative throttle",
      "bad-options",
      /throttle\.steps = -1/,
      { rules: [rule({ throttle: { steps: -1 } })] },
    ],
    [
      "half a throttle",
      "bad-options",
      /throttle\.turns = 0\.5/,
      { rules: [rule({ throttle: { turns: 0.5 } })] },
    ],
  ])("%s", (_, code, what, overrides) => {
    expectError(code, what, () => createSession(options(overrides)))
  })

  it("defineRule says at once what is wrong with a rule", () => {
    expectError("bad-options", /throttle\.limit/, () => defineRule(rule({ throttle: { limit: -1 } })))
    expectError("bad-options", /does not decide/, () => defineRule({ kind: "mine" } as never))
  })
})

describe("a log that cannot be restored", () => {
  const log = (): Entry[] => {
    const session = start()
    turn(session)
    return JSON.parse(JSON.stringify(session.log))
  }

  it("of a newer version", () => {
    const [first, ...rest] = log()
    const newer = [{ ...first, version: LOG_VERSION + 1 } as Entry, ...rest]
    expectError("newer-log", new RegExp(`version ${LOG_VERSION + 1}`), () => restoreSession(options(), newer))
  })

  it("with a hole in it", () => {
    expectError("damaged-log", /entry 2: its number is 3/, () =>
      restoreSession(options(), log().toSpliced(2, 1)),
    )
  })

  it("that does not begin at the beginning", () => {
    expectError("damaged-log", /begins with "said"/, () => restoreSession(options(), log().slice(1)))
  })

  it("whose agent is no longer there", () => {
    expectError("unknown-agent", /"build"/, () =>
      restoreSession(options({ agents: [{ name: "other" }] }), log()),
    )
  })
})

describe("what cannot be made durable did not happen", () => {
  const commands: Readonly<Record<string, (session: Session) => unknown>> = {
    say: (session) => session.say("more"),
    note: (session) => session.note({ type: "file.edited", path: "a" }),
    observe: (session) => session.observe("date", "2026-11-15"),
    switchAgent: (session) => session.switchAgent("plan"),
    reply: (session) => session.reply("req-2", says("done")),
    "say now": (session) => session.say("more", { delivery: "now" }),
    abort: (session) => session.abort(),
    endTurn: (session) => session.endTurn(),
    compact: (session) => session.compact("summary"),
  }

  it.each(Object.entries(commands))("%s", (_, command) => {
    let full = false
    const onAppend = () => {
      if (full) throw new Error("disk full")
    }
    const session = start({ onAppend })
    session.say("Go")
    const sent = JSON.stringify(request(session))
    full = true
    expectUnchanged(session, () => expect(() => command(session)).toThrow("disk full"))
    expect(JSON.stringify(request(session))).toBe(sent)
    full = false
    command(session)
    expect(session.log).toHaveLength(4)
  })

  it("next", () => {
    let full = false
    const session = start({ onAppend: () => expect(full, "disk full").toBe(false) })
    session.say("Go")
    full = true
    expectUnchanged(session, () => expect(() => session.next()).toThrow("disk full"))
    full = false
    expect(request(session).step).toBe(1)
  })
})
