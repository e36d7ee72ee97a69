import { removed, unavailable } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { compact, inTurn, nothing, observe, steps, turns } from "../walker.js"

const agent =
  (...names: readonly string[]): Drive =>
  (session) => {
    for (const name of names) session.switchAgent(name)
  }

const planning = (...values: readonly boolean[]) => observe("plan:active", ...values)
const plan = (content: string, finished = false) =>
  observe("plan:file", { path: ".sotto/plan.md", content, finished })
const auto = (...values: readonly boolean[]) => observe("auto", ...values)
const style = (...values: readonly unknown[]) => observe("output_style", ...values)

export const mode: readonly Case[] = [
  {
    kind: "plan_mode",
    trust: "harness",
    setup: steps(1),
    drive: agent("plan"),
    says: "Plan mode is active: nothing may be changed except the plan file.",
    nearly: {
      "another agent": { drive: agent("brief") },
      "the fourth human turn after it was told": {
        drive: inTurn(agent("plan"), steps(1), turns(3)),
        row: { outcome: "throttled", until: "in 1 turn" },
      },
    },
    again: { row: { outcome: "throttled", until: "in 5 turns" } },
    cancels: agent("plan", "build"),
    afterCompaction: { says: "The work goes in five phases." },
    variants: {
      "with a plan file": {
        drive: inTurn(plan(""), agent("plan")),
        says: "4. Write: put the plan into the plan file, .sotto/plan.md.",
      },
      "in short": {
        drive: inTurn(agent("plan"), steps(1), turns(4)),
        says: "Plan mode is still active: nothing may be changed except the plan file.",
      },
      "in full again, each time planning begins": {
        drive: inTurn(agent("plan"), steps(1), agent("build"), steps(1), agent("plan")),
        says: "The work goes in five phases.",
      },
      "in full again, with the agent staying": {
        drive: inTurn(planning(true), steps(1), planning(false), steps(1), planning(true)),
        says: "The work goes in five phases.",
      },
    },
  },
  {
    kind: "plan_mode_reentry",
    trust: "untrusted",
    setup: inTurn(plan("1. Parse."), steps(1)),
    drive: agent("plan"),
    says: "There is a plan from before, in .sotto/plan.md.",
    nearly: {
      "an empty plan": { drive: inTurn(plan(" "), agent("plan")) },
      "no plan mode": { drive: agent("brief") },
    },
    again: { row: { outcome: "nothing" } },
    cancels: agent("plan", "build"),
    afterCompaction: {},
    variants: {
      "after leaving, with the agent staying": {
        drive: inTurn(planning(true), steps(1), planning(false), steps(1), planning(true)),
        says: "There is a plan from before",
      },
      "with a file of its own for the new planning": {
        drive: inTurn(
          observe("plan:file", { path: "b.md", earlier: { path: "a.md", content: "1. Parse." } }),
          agent("plan"),
        ),
        says: "in a.md. If it is for the same task, go on with it there; else write the new one to b.md.",
      },
    },
  },
  {
    kind: "plan_mode_exit",
    trust: "harness",
    setup: inTurn(planning(true), steps(1)),
    drive: planning(false),
    says: "Plan mode was left",
    nearly: {
      "still planning": { drive: nothing },
      "the agent was switched, which says it": { drive: inTurn(agent("brief"), planning(false)) },
    },
    again: { row: { outcome: "nothing" } },
    cancels: planning(false, true),
    afterCompaction: {},
    variants: {
      "together with a compaction": { drive: inTurn(compact, planning(false)), says: "Plan mode was left" },
    },
  },
  {
    kind: "plan_file_reference",
    trust: "untrusted",
    setup: inTurn(plan("1. Parse."), steps(1)),
    drive: compact,
    says: "The plan in .sotto/plan.md was made before the conversation was compacted and is not finished:",
    nearly: {
      "no compaction": { drive: nothing },
      "a finished plan": { drive: inTurn(plan("1. Parse.", true), compact) },
    },
    again: { row: { outcome: "nothing" } },
    afterCompaction: { says: "1. Parse." },
    variants: {
      "a long one": {
        drive: inTurn(plan("x".repeat(12_001)), compact),
        says: "[cut: 12000 of 12001 characters",
      },
    },
  },
  {
    kind: "build_switch",
    trust: "harness",
    setup: steps(1),
    drive: agent("plan"),
    says: "The mode changed from build to plan. Files may be read but not changed",
    nearly: { "the same agent": { drive: agent("build") } },
    again: { row: { outcome: "nothing" } },
    together: { drive: agent("brief", "plan"), says: "from build to plan", not: "brief" },
    cancels: agent("plan", "build"),
    afterCompaction: {},
    variants: {
      "to build, after plan": {
        drive: inTurn(agent("plan"), steps(1), agent("build")),
        says: "Carry out the plan that was made, and report progress as you go.",
      },
      "to build, after a plan in a file": {
        drive: inTurn(agent("plan"), steps(1), plan("1. Parse."), agent("build")),
        says: "Carry out the plan in .sotto/plan.md, and report progress as you go.",
      },
      "to another that may change files": { drive: agent("brief"), says: "as far as the permissions go." },
    },
  },
  {
    kind: "auto_mode",
    trust: "harness",
    setup: steps(1),
    drive: auto(true),
    says: "Auto mode is on",
    nearly: {
      "it stays off": { drive: auto(false) },
      "it goes off again": { drive: inTurn(auto(true), steps(1), auto(false)) },
    },
    again: { row: { outcome: "nothing" } },
    cancels: auto(true, false),
    afterCompaction: { says: "Auto mode is on" },
  },
  {
    kind: "auto_mode_exit",
    trust: "harness",
    setup: inTurn(auto(true), steps(1)),
    drive: auto(false),
    says: "Auto mode is off",
    nearly: {
      "it stays on": { drive: auto(true) },
      "it goes on again": { drive: inTurn(auto(false), steps(1), auto(true)) },
    },
    again: { row: { outcome: "nothing" } },
    cancels: auto(false, true),
    afterCompaction: {},
    variants: {
      "together with a compaction": { drive: inTurn(compact, auto(false)), says: "Auto mode is off" },
    },
  },
  {
    kind: "output_style",
    trust: "harness",
    setup: inTurn(style("terse"), steps(1)),
    drive: style({ name: "teaching", text: "Explain each step." }),
    says: "The output style teaching is active: keep to it.",
    nearly: {
      "the same style": { drive: style("terse") },
      "it cannot be read": { drive: style(unavailable()) },
    },
    again: { drive: style({ name: "teaching", text: "Explain each step." }), row: { outcome: "nothing" } },
    together: { drive: style("teaching", "formal"), says: "formal", not: "teaching" },
    cancels: style("teaching", "terse"),
    afterCompaction: { says: "The output style teaching is active" },
    variants: { gone: { drive: style(removed()), says: "The output style terse no longer applies." } },
  },
]
