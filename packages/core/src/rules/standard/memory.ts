import { nameIn } from "../../prompt/layers.js"
import { isUntrusted, vouchedText } from "../../prompt/trusted-text.js"
import { lineDiff } from "../../text/diff.js"
import { inline } from "../../text/reminder-text.js"
import type { Json } from "../../vocabulary/json.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Rule, type Utterance } from "../rule.js"
import { onChange } from "../shapes.js"
import { fieldsOf } from "../signals.js"

const LONGEST_INSTRUCTIONS = 24_000
const LONGEST_MEMORY = 4_000

const nested = onChange({
  kind: "nested_memory",
  fact: "nested",
  priority: 70,
  trust: "user",
  first: (key, value) => [
    withBody(`Instructions for what lies beside ${name(key)}:`, key, value),
    { line: `${name(key)} has instructions for what lies beside it. Read them before working there.` },
  ],
  // What changes later is for instructions_change to say.
  changed: () => [],
})

/** An instruction file beside something that was read, told once; from the outermost folder inwards. */
export const nestedMemory = defineRule({
  ...nested,
  decide: (moment) => [...nested.decide(moment)].sort((a, b) => depth(a.key) - depth(b.key)),
})

/** An instruction file that the model knows changed, or a new one turned up. */
export const instructionsChange = mergedRules(
  {
    kind: "instructions_change",
    priority: 70,
    trust: "user",
  },
  onChange({
    kind: "instructions_change",
    fact: "instructions",
    first: (key, value) => [
      withBody(`New instructions, from ${name(key)}:`, key, value),
      { line: `There are new instructions in ${name(key)}. Read them before going on.` },
    ],
    changed: changedForms,
    gone: goneForms,
  }),
  onChange({ kind: "instructions_change", fact: "nested", changed: changedForms, gone: goneForms }),
)

function changedForms(key: string, before: Json, after: Json): readonly Form[] {
  const [old, now] = [vouchedText(before), vouchedText(after)]
  if (old === now) return []
  const diff = lineDiff(old, now)
  const full =
    diff !== undefined && diff.length < now.length
      ? withBody(`The instructions in ${name(key)} changed:`, key, after, diff)
      : withBody(`The instructions in ${name(key)} changed and now say:`, key, after)
  return [full, { line: `The instructions in ${name(key)} changed. Read them again before going on.` }]
}

function goneForms(key: string): readonly Form[] {
  return [{ line: `The instructions in ${name(key)} are gone and no longer apply.` }]
}

/** Merges rules into one kind that watches several families of facts. */
function mergedRules(
  common: Omit<Rule<StandardKind>, "decide">,
  ...rules: readonly Rule[]
): Rule<StandardKind> {
  return defineRule({ ...common, decide: (moment) => rules.flatMap((rule) => rule.decide(moment)) })
}

/** Stored memories that match the task, each at most once. */
export const relevantMemories = defineRule({
  kind: "relevant_memories",
  priority: 40,
  trust: "user",
  afterCompaction: "keep",
  signals: ["memory.matched"],
  onlyOnSignals: true,
  keyOf: (signal) => fieldsOf(signal, "memory.matched")?.id ?? "",
  decide: ({ signals, memo }) => {
    const latest = new Map(signals.map((signal) => [fieldsOf(signal, "memory.matched")?.id ?? "", signal]))
    return [...latest].flatMap(([id, signal]): Utterance[] => {
      const { title = id, content = "" } = fieldsOf(signal, "memory.matched") ?? {}
      if (content === "" || memo(id) !== undefined) return []
      const line = `From the memories kept for this project, ${inline(title)}:`
      const body = { text: clip(content, LONGEST_MEMORY), source: id, trust: "user" } as const
      return [{ key: id, memo: true, forms: [{ line, body }] }]
    })
  },
})

function withBody(line: string, key: string, value: Json, text = vouchedText(value)): Form {
  const trust = isUntrusted(value) ? "untrusted" : "user"
  return { line, body: { text: clip(text, LONGEST_INSTRUCTIONS), source: nameIn(key), trust } }
}

function depth(key = ""): number {
  return key.split("/").length
}

function name(key: string): string {
  return inline(nameIn(key))
}
