import { removed, unavailable } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { compact, inTurn, note, nothing, observe, steps } from "../walker.js"

const nested = (...values: readonly unknown[]) => observe("nested:pkg/AGENTS.md", ...values)

const RULES = Array.from({ length: 30 }, (_, i) => `Rule ${i} of the house.`)
const house = RULES.join("\n")
const other = (rule: number) => RULES.with(rule, "Another rule.").join("\n")
const instructions = (...values: readonly unknown[]) => observe("instructions:AGENTS.md", ...values)

const remember =
  (...ids: readonly string[]): Drive =>
  (session) => {
    for (const id of ids)
      session.note({ type: "memory.matched", id, title: `About ${id}`, content: `What is known of ${id}.` })
  }

const skill = (name: string) => ({ name, description: `Works with ${name}.` })
/** A list of names and descriptions that the system prompt states: only what changes in it is told. */
function listing(
  kind: string,
  fact: string,
  says: string,
  { gone, first }: { readonly gone: string; readonly first: string },
): Case {
  const list = (...names: readonly string[]) => observe(fact, names.map(skill))
  return {
    kind,
    trust: "user",
    setup: inTurn(list("pdf", "svg"), steps(1)),
    drive: list("pdf", "csv"),
    says,
    nearly: {
      "the same set": { drive: list("pdf", "svg") },
      "the same set in another order": { drive: list("svg", "pdf") },
    },
    again: { drive: list("pdf", "csv"), row: { outcome: "nothing" } },
    together: { drive: inTurn(list("pdf"), list("pdf", "csv")), says: "+ - csv" },
    cancels: inTurn(list("pdf"), list("pdf", "svg")),
    afterCompaction: {},
    variants: {
      gone: { drive: observe(fact, removed()), says: gone },
      "more than are listed": {
        drive: list("pdf", "svg", ...Array.from({ length: 61 }, (_, i) => `skill-${i}`)),
        says: "[and 1 more]",
      },
      "found after the start": {
        drive: inTurn(observe(fact, removed()), steps(1), list("pdf")),
        says: first,
      },
    },
  }
}

const relevant =
  (...names: readonly string[]): Drive =>
  (session) => {
    for (const name of names) session.note({ type: "skill.relevant", ...skill(name) })
  }

const invoked = (name: string, content = "Open it, then read it.") =>
  observe(`invoked:${name}`, { name, path: `skills/${name}/SKILL.md`, content })

export const memory: readonly Case[] = [
  {
    kind: "nested_memory",
    trust: "user",
    setup: steps(1),
    drive: nested("Use tabs."),
    says: "Instructions for what lies beside pkg/AGENTS.md:",
    nearly: {
      "there is none": { drive: nested(removed()) },
      "it cannot be read": { drive: nested(unavailable()) },
    },
    again: { drive: nested("Use tabs."), row: { outcome: "nothing" } },
    together: { drive: nested("Use tabs.", "Use spaces."), says: "Use spaces.", not: "tabs" },
    cancels: nested("Use tabs.", removed()),
    afterCompaction: { says: "Use tabs." },
    variants: {
      "a long one": { drive: nested("x".repeat(24_001)), says: "[cut: 24000 of 24001 characters are shown]" },
    },
  },
  {
    kind: "instructions_change",
    trust: "user",
    setup: inTurn(instructions(house), steps(1)),
    drive: instructions(other(3)),
    says: "The instructions in AGENTS.md changed:",
    nearly: {
      "they are what they were": { drive: instructions(house) },
      "they cannot be read": { drive: instructions(unavailable()) },
    },
    again: { drive: instructions(other(3)), row: { outcome: "nothing" } },
    together: { drive: instructions(other(3), other(20)), says: "-Rule 20", not: "-Rule 3 " },
    cancels: instructions(other(3), house),
    afterCompaction: {},
    variants: {
      "rewritten: the whole is shorter than the difference": {
        drive: instructions("Be brief."),
        says: "The instructions in AGENTS.md changed and now say:\nBe brief.",
      },
      gone: { drive: instructions(removed()), says: "The instructions in AGENTS.md are gone" },
      "a new file": {
        drive: observe("instructions:docs/AGENTS.md", "Write plainly."),
        says: "New instructions, from docs/AGENTS.md:",
      },
      "a nested file that was told": {
        drive: inTurn(nested("Use tabs."), steps(1), nested("Use spaces.")),
        says: "The instructions in pkg/AGENTS.md changed",
      },
    },
  },
  {
    kind: "relevant_memories",
    trust: "user",
    setup: steps(1),
    drive: remember("tests"),
    says: "From the memories kept for this project, About tests:",
    nearly: {
      "a memory without content": {
        drive: (session) => session.note({ type: "memory.matched", id: "tests", content: "" }),
      },
    },
    again: { drive: remember("tests"), row: { outcome: "nothing" } },
    together: { drive: remember("tests", "tests"), says: "What is known of tests." },
    afterCompaction: { drive: remember("tests") },
    variants: {
      "a long one": {
        drive: note("memory.matched", { id: "tests", content: "x".repeat(4_001) }),
        says: "[cut: 4000 of 4001 characters are shown]",
      },
    },
  },
  listing("skill_listing", "skills", "The skills you can use changed (+ added, - removed):", {
    gone: "There are no skills any more.",
    first: "Skills you can use, with the skill tool:",
  }),
  listing("agent_listing", "agents", "The subagents you can call changed (+ added, - removed):", {
    gone: "There are no subagents to call any more.",
    first: "Subagents you can call, with the task tool:",
  }),
  {
    kind: "invoked_skills",
    trust: "user",
    setup: inTurn(invoked("pdf"), steps(1)),
    drive: compact,
    says: "The skill pdf, in use since before the conversation was compacted",
    nearly: {
      "no compaction": { drive: nothing },
      "no longer in use": { drive: inTurn(observe("invoked:pdf", removed()), compact) },
    },
    again: { row: { outcome: "nothing" } },
    afterCompaction: { says: "Open it, then read it." },
    variants: {
      "over its cap": {
        drive: inTurn(invoked("pdf", "word ".repeat(2_000)), steps(1), compact),
        says: "[cut: 8000 of 10000 characters are shown]",
      },
      "over all caps": {
        drive: inTurn(
          ...["a", "b", "c", "d"].map((name) => invoked(name, name.repeat(9_000))),
          steps(1),
          compact,
        ),
        says: "The skill pdf, in use since before the conversation was compacted. It is in skills/pdf/SKILL.md.",
      },
    },
  },
  {
    kind: "skill_discovery",
    trust: "user",
    setup: steps(1),
    drive: relevant("pdf"),
    says: "The skill pdf is about what was just touched",
    nearly: { "a skill without a name": { drive: relevant("") } },
    again: { drive: relevant("pdf"), row: { outcome: "nothing" } },
    together: { drive: relevant("pdf", "pdf"), says: "The skill tool shows it." },
    afterCompaction: { drive: relevant("pdf") },
  },
]
