import { nameIn } from "../../prompt/layers.js"
import { isUntrusted } from "../../prompt/trusted-text.js"
import { inline } from "../../text/reminder-text.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Rule, type Utterance } from "../rule.js"
import { fieldsOf } from "../signals.js"
import { known, lostInCompaction, stringIn } from "./facts.js"
import { listing, withTool } from "./list-rule.js"
import type { CheckedNames } from "./names.js"

const LONGEST_SKILL = 8_000
const LONGEST_IN_ALL = 24_000

/** The system prompt lists the skills; what changes in the list is told as a difference. */
export const skillListing = ({ skill }: CheckedNames): Rule<StandardKind> =>
  listing({
    kind: "skill_listing",
    fact: "skills",
    first: `Skills you can use${withTool(skill)}:`,
    changed: "The skills you can use changed (+ added, - removed):",
    gone: "There are no skills any more.",
  })

/** Skills in use that a summary has replaced, each capped, and all together. */
export const invokedSkills = defineRule({
  kind: "invoked_skills",
  priority: 50,
  trust: "user",
  decide: (moment) => {
    let left = LONGEST_IN_ALL
    return moment.facts("invoked").flatMap(([key]): Utterance[] => {
      if (!lostInCompaction(moment, key, key)) return []
      const skill = known(moment, key)
      const content = stringIn(skill, "content") ?? ""
      if (content === "") return []
      const path = stringIn(skill, "path") ?? ""
      const line = `The skill ${inline(stringIn(skill, "name") ?? nameIn(key))}, in use since before the conversation was compacted`
      const short = { line: `${line}. It is in ${inline(path)}.` }
      const room = Math.min(LONGEST_SKILL, left)
      left -= Math.min(content.length, room)
      if (room <= 0) return [{ key, memo: true, forms: [short] }]
      const trust = isUntrusted(skill) ? "untrusted" : "user"
      const body = { text: clip(content, room), source: path, trust } as const
      return [{ key, memo: true, forms: [{ line: `${line} (${inline(path)}):`, body }, short] }]
    })
  },
})

/** A call touched something that a skill is about; each skill at most once. */
export const skillDiscovery = ({ skill }: CheckedNames): Rule<StandardKind> =>
  defineRule({
    kind: "skill_discovery",
    priority: 25,
    trust: "user",
    afterCompaction: "keep",
    signals: ["skill.relevant"],
    onlyOnSignals: true,
    keyOf: (signal) => fieldsOf(signal, "skill.relevant")?.name ?? "",
    decide: ({ signals, memo }) => {
      const latest = new Map(
        signals.map((signal) => [fieldsOf(signal, "skill.relevant")?.name ?? "", signal]),
      )
      return [...latest].flatMap(([name, signal]): Utterance[] => {
        if (name === "" || memo(name) !== undefined) return []
        const { description, untrusted } = fieldsOf(signal, "skill.relevant") ?? {}
        if (untrusted === true) return [{ key: name, memo: true, forms: [foreign(name, description)] }]
        const what = description === undefined ? "" : `: ${inline(description).replace(/[.\s]+$/, "")}`
        const how = skill === undefined ? "" : ` The ${skill} tool shows it.`
        const line = `The skill ${inline(name)} is about what was just touched${what}.${how}`
        return [{ key: name, memo: true, forms: [{ line }] }]
      })
    },
  })

/** Sets what an untrusted folder says of its skill apart, as its text. */
function foreign(name: string, description = ""): Form {
  return {
    line: "A skill of this folder, for which the user has not vouched, is about what was just touched:",
    body: {
      text: `${inline(name)}: ${inline(description)}`,
      source: "skills of this folder",
      trust: "untrusted",
    },
  }
}
