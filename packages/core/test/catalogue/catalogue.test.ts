import { dynamic, type Rule, type Session, standardRules } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { AGENTS, MODELS, reopen, tail, textOf } from "../support/session.js"
import type { Case, Drive } from "./case.js"
import { CASES } from "./cases.js"
import {
  boundary,
  compact,
  type Heard,
  hear,
  inTurn,
  listen,
  nothing,
  optionsOf,
  outcomes,
  sessionFor,
} from "./walker.js"

/** The first column of SPEC §6, without "custom", and what tells the model which subagents there are. */
const KINDS = [
  "file",
  "pdf_reference",
  "compact_file_reference",
  "directory",
  "mcp_resource",
  "nested_memory",
  "instructions_change",
  "relevant_memories",
  ...["selected_lines_in_ide", "opened_file_in_ide"],
  "edited_text_file",
  ...["todo_reminder", "task_reminder"],
  "skill_listing",
  "agent_listing",
  "invoked_skills",
  "skill_discovery",
  "output_style",
  "diagnostics",
  ...["plan_mode", "plan_mode_reentry", "plan_mode_exit"],
  "build_switch",
  ...["auto_mode", "auto_mode_exit"],
  "plan_file_reference",
  "max_steps",
  "critical_system_reminder",
  "queued_command",
  "agent_mention",
  "task_status",
  "context_efficiency",
  "compaction_reminder",
  ...["hook_stopped_continuation", "async_hook_response"],
  "team_context",
  ...["date_change", "environment_change", "tools_change", "system_change"],
  ...["interrupted", "session_resumed", "loop_detected", "token_usage"],
] as const

/** IDE, style and task nudges (SPEC §5), and what only makes sense where a user looks on. */
const MAIN_ONLY = [
  ...["selected_lines_in_ide", "opened_file_in_ide", "output_style", "todo_reminder", "task_reminder"],
  ...["plan_mode_reentry", "plan_mode_exit", "plan_file_reference"],
  ...["context_efficiency", "compaction_reminder"],
]

function uncovered(rules: readonly Rule[], cases: readonly Case[]): readonly string[] {
  return rules.map(({ kind }) => kind).filter((kind) => !cases.some((one) => one.kind === kind))
}

describe("the catalogue", () => {
  it("has every kind of SPEC §6 exactly once, and no other", () => {
    expect(
      standardRules()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(KINDS.toSorted())
  })

  it("has a case for every kind: one that is added without is found out", () => {
    expect(uncovered(standardRules(), CASES)).toEqual([])
    expect(CASES.map(({ kind }) => kind).toSorted()).toEqual(KINDS.toSorted())
    expect(uncovered([...standardRules(), { kind: "new", decide: () => [] }], CASES)).toEqual(["new"])
  })

  it.each(MAIN_ONLY)("subagents skip %s", (kind) => {
    const one = CASES.find((candidate) => candidate.kind === kind) as Case
    const agents = AGENTS.map((agent) => ({ ...agent, mode: "subagent" as const }))
    expectSilence(one, hear(one, one.drive, { agents, agent: "build" }))
  })
})

describe.each(CASES.map((one) => [one.kind, one] as const))("%s", (kind, one) => {
  it("is told when its time has come, and the ledger says how", () => {
    const heard = hear(one, one.drive)
    expect(heard.text).toContain(one.says)
    const hosted = tail(heard.request)[0]?.content[0]?.type === "tool-result"
    const spoken = heard.rows.filter(({ outcome }) => outcome === "spoke")
    expect(spoken).toHaveLength(1)
    expect(spoken[0]).toMatchObject({ kind, carrier: carrierAmong(heard, one, hosted) })
    expect(spoken[0]?.tokens).toBeTypeOf("number")
  })

  it(`travels ${one.trust === "untrusted" ? "never" : ""} with system authority where a model gives it`, () => {
    const { capabilities } = one.options?.model ?? {}
    const heard = hear(one, one.drive, {
      model: { id: MODELS.system, ...(capabilities && { capabilities }) },
    })
    const row = heard.rows.find(({ outcome }) => outcome === "spoke")
    const system = tail(heard.request).flatMap(({ role, content }) =>
      role === "system" ? content.map(textOf) : [],
    )
    if (one.trust === "untrusted") expect(["tool-result", "user-text"]).toContain(row?.carrier)
    else expect(row?.carrier).toBe("system-message")
    expect(system.some((text) => text.includes(one.says))).toBe(one.trust !== "untrusted")
    expect(heard.text).toContain(one.says)
    expect(system.join()).not.toContain("<system-reminder>")
  })

  it.each(Object.entries(one.nearly))("keeps silent just before: %s", (_, { drive, row, options }) => {
    const heard = hear(one, drive, options)
    expectSilence(one, heard, row)
  })

  it(`right after it was told: ${one.again.row.outcome}`, () => {
    const session = tellOnce(one)
    one.again.drive?.(session)
    const heard = listen(session, one)
    expect(heard.rows).toHaveLength(1)
    expect(heard.rows[0]).toMatchObject(one.again.row)
    expect(heard.text.includes(one.says)).toBe(one.again.row.outcome === "spoke")
  })

  it("can be turned off, and the ledger says that it is", () => {
    const heard = hear(one, one.drive, { reminders: { ...one.options?.reminders, [kind]: false } })
    expectSilence(one, heard, { outcome: "disabled" })
  })

  it(`after a compaction: ${one.afterCompaction.says === undefined ? "silent" : "told again, once"}`, () => {
    const { drive = nothing, says } = one.afterCompaction
    const session = tellOnce(one)
    compact(session)
    drive(session)
    const first = listen(session, one)
    if (says === undefined) return expectSilence(one, first)
    expect(first.text).toContain(says)
    expect(outcomes(first)).toEqual(["spoke"])
    const second = listen(session, one)
    expect(second.text).not.toContain(says)
    expect(outcomes(second)).not.toContain("spoke")
  })

  it("a session restored between the trigger and the boundary goes on to the same bytes", () => {
    const session = sessionFor(one)
    one.drive(session)
    const restored = reopen(session, optionsOf(one))
    expectSame(session, restored)
    expect(restored.ledger().filter((row) => row.kind === kind && row.outcome === "spoke")).not.toEqual([])
    expectSame(session, reopen(session, optionsOf(one)))
  })

  if (one.together) {
    const { drive, says, not } = one.together
    it("is one reminder for all that came between two boundaries", () => {
      const heard = hear(one, drive)
      expect(outcomes(heard)).toEqual(["spoke"])
      expect(heard.text.split(says)).toHaveLength(2)
      if (not !== undefined) expect(heard.text).not.toContain(not)
    })
  }

  if (one.cancels) {
    const { cancels } = one
    it("says nothing of what came and went between two boundaries", () =>
      expectSilence(one, hear(one, cancels)))
  }

  it.each(Object.entries(one.variants ?? {}))("also: %s", (_, { drive, says }) => {
    const heard = hear(one, drive)
    expect(heard.text).toContain(says)
    expect(outcomes(heard)).toContain("spoke")
  })
})

function tellOnce(one: Case): Session {
  const session = sessionFor(one)
  one.drive(session)
  expect(outcomes(listen(session, one))).toContain("spoke")
  return session
}

function expectSilence(
  one: Case,
  { rows, text }: Heard,
  row: Case["again"]["row"] = { outcome: "nothing" },
): void {
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject(row)
  expect(rows[0]?.outcome).not.toBe("spoke")
  expect(text).not.toContain(one.says)
}

/** In the last tool result where there is one, unless a human's unframed words stand beside it. */
function carrierAmong({ text }: Heard, { says }: Case, hosted: boolean): string {
  expect(text).toMatch(/<system-reminder>[\s\S]*<\/system-reminder>/)
  expect(text.indexOf("<system-reminder>")).toBeLessThan(text.indexOf(says))
  return hosted ? "tool-result" : "user-text"
}

function expectSame(one: Session, other: Session): void {
  expect(JSON.stringify(boundary(other))).toBe(JSON.stringify(boundary(one)))
  expect(other.ledger()).toEqual(one.ledger())
}

describe("mentions", () => {
  it.each([["two servers", { server: "a" }, { server: "b" }]])(
    "of one uri at %s are two",
    (_, first, second) => {
      const one = CASES.find(({ kind }) => kind === "mcp_resource") as Case
      const note =
        (fields: object): Drive =>
        (session) =>
          session.note(
            dynamic({ type: "mention.resource", uri: "docs://guide", text: "How to begin.", ...fields }),
          )
      expect(outcomes(hear(one, inTurn(note(first), note(second))))).toEqual(["spoke", "spoke"])
    },
  )
})
