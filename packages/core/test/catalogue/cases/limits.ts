import { removed } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { boundary, compact, inTurn, nothing, observe, steps } from "../walker.js"

/** Counts nothing but these marks, so that a context can be made exactly so large. */
const MARK = "~"
const countTokens = (text: string) => text.split(MARK).length - 1

/** A result of so many tokens goes up; the boundary after that one is the first to see them. */
const grow =
  (tokens: number): Drive =>
  (session) => {
    boundary(session, MARK.repeat(tokens))
    boundary(session)
  }

/** Drops the last result, and takes the step that carries that out. */
const snip: Drive = (session) => {
  const result = session
    .view()
    .findLast(({ role, parts }) => role === "tool" && JSON.stringify(parts).includes(MARK))
  session.snip([result?.id ?? "none"])
  boundary(session)
}

const window = (contextWindow: number) => ({ id: "claude-sonnet-4-5", capabilities: { contextWindow } })

export const limits: readonly Case[] = [
  {
    kind: "max_steps",
    trust: "harness",
    options: { agent: "brief" },
    drive: steps(2),
    says: "This is the last step of the turn",
    nearly: { "the last but one": { drive: steps(1) } },
    again: { row: { outcome: "nothing" } },
    afterCompaction: {},
  },
  {
    kind: "context_efficiency",
    trust: "harness",
    options: { snip: true, countTokens },
    setup: steps(1),
    drive: grow(10_000),
    says: "can be dropped with the snip tool",
    nearly: {
      "right after the start": { drive: nothing },
      "9,999 tokens": { drive: grow(9_999) },
      "snip is not enabled": { drive: grow(10_000), options: { snip: false } },
      "9,999 since the last snip": { drive: inTurn(grow(3_000), grow(2_000), snip, steps(1), grow(9_999)) },
      "9,999 since it last spoke": { drive: inTurn(grow(10_000), steps(1), grow(9_999)) },
    },
    again: { row: { outcome: "nothing" } },
    afterCompaction: { drive: inTurn(steps(2), grow(9_999)) },
    variants: {
      "10,000 since the last snip": {
        drive: inTurn(grow(3_000), grow(2_000), snip, steps(1), grow(10_000)),
        says: "can be dropped with the snip tool",
      },
      "10,000 since the compaction": {
        drive: inTurn(grow(10_000), steps(1), compact, steps(2), grow(10_000)),
        says: "can be dropped with the snip tool",
      },
    },
  },
  {
    kind: "compaction_reminder",
    trust: "harness",
    options: { model: window(1_000_000), countTokens },
    setup: inTurn(observe("compaction:auto", true), steps(1)),
    drive: grow(250_001),
    says: "The conversation is compacted automatically",
    nearly: {
      "a quarter, and no more": { drive: grow(250_000) },
      "a window of less than a million": { drive: grow(250_001), options: { model: window(999_999) } },
      "nothing compacts by itself": { drive: inTurn(observe("compaction:auto", false), grow(250_001)) },
      "nobody says whether it compacts": {
        drive: inTurn(observe("compaction:auto", removed()), grow(250_001)),
      },
    },
    again: { row: { outcome: "nothing" } },
    afterCompaction: {},
    variants: {
      "again, when it has grown as much after a compaction": {
        drive: inTurn(grow(250_001), steps(1), compact, steps(1), grow(250_001)),
        says: "The conversation is compacted automatically",
      },
    },
  },
  {
    kind: "token_usage",
    trust: "harness",
    options: { reminders: { token_usage: {} } },
    drive: steps(9),
    says: "tokens of context are in use.",
    nearly: {
      "nine steps": { drive: steps(8) },
      "nobody asked for it": { drive: steps(9), options: { reminders: {} }, row: { outcome: "disabled" } },
      "right after the start": { drive: nothing },
    },
    again: { row: { outcome: "throttled", until: "in 9 steps" } },
    afterCompaction: { says: "tokens of context are in use." },
  },
]
