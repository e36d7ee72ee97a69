import { lineDiff } from "../../diff/diff.js"
import { factText } from "../../facts/facts.js"
import type { Json } from "../../json.js"
import { nameIn, skillLines, SYSTEM_FACT } from "../../prompt/layers.js"
import { type Form, inline } from "../../reminder/reminder.js"
import { onChange } from "../shapes.js"

/** What the system prompt states and no longer holds. Its bytes stay; the difference travels. */

export const dateChange = onChange({
  kind: "date_change",
  fact: "date",
  priority: 40,
  first: (_, value) => [{ line: `The date is ${inline(factText(value))}.` }],
  changed: (_, before, after) => [
    { line: `The date is now ${inline(factText(after))}; it was ${inline(factText(before))}.` },
  ],
})

export const environmentChange = onChange({
  kind: "environment_change",
  fact: "environment",
  priority: 40,
  first: (key, value) => [{ line: `The environment: ${label(key)}${inline(factText(value))}.` }],
  changed: (key, before, after) => [
    {
      line: `The environment changed: ${label(key)}${inline(factText(after))}; it was ${inline(factText(before))}.`,
    },
  ],
  gone: (key, before) => [
    { line: `The environment changed: ${label(key)}${inline(factText(before))} no longer holds.` },
  ],
})

export const instructionsChange = onChange({
  kind: "instructions_change",
  fact: "instructions",
  priority: 70,
  trust: "user",
  first: (key, value) => [
    withBody(`New instructions, from ${name(key)}:`, key, factText(value)),
    { line: `There are new instructions in ${name(key)}. Read them before going on.` },
  ],
  changed: (key, before, after) => [
    ...shorter(key, factText(before), factText(after)),
    { line: `The instructions in ${name(key)} changed. Read them again before going on.` },
  ],
  gone: (key) => [{ line: `The instructions in ${name(key)} are gone and no longer apply.` }],
})

export const systemChange = onChange({
  kind: "system_change",
  fact: SYSTEM_FACT,
  priority: 80,
  trust: "user",
  first: (key, value) => [withBody("From here on these instructions apply as well:", key, factText(value))],
  changed: (key, _, after) => [
    withBody("These instructions replace the additional ones given before:", key, factText(after)),
  ],
  gone: () => [{ line: "The additional instructions given before no longer apply." }],
})

export const skillListing = onChange({
  kind: "skill_listing",
  fact: "skills",
  priority: 30,
  trust: "user",
  first: (key, value) => [withBody("Skills you can use:", key, skillLines(value))],
  changed: (key, before, after) => {
    const [old, now] = [before, after].map((value) => new Set(skillLines(value as Json).split("\n")))
    const added = [...(now ?? [])].filter((line) => !old?.has(line))
    const lost = [...(old ?? [])].filter((line) => !now?.has(line))
    const text = [...added.map((line) => `+ ${line}`), ...lost.map((line) => `- ${line}`)].join("\n")
    return [withBody("The skills you can use changed (+ added, - removed):", key, text)]
  },
  gone: () => [{ line: "There are no skills any more." }],
})

/** The difference, or the whole where that is no longer. */
function shorter(key: string, before: string, after: string): readonly Form[] {
  const diff = lineDiff(before, after)
  return diff !== undefined && diff.length < after.length
    ? [withBody(`The instructions in ${name(key)} changed:`, key, diff)]
    : [withBody(`The instructions in ${name(key)} changed and now say:`, key, after)]
}

function withBody(line: string, key: string, text: string): Form {
  return { line, body: { text, source: nameIn(key), trust: "user" } }
}

function name(key: string): string {
  return inline(nameIn(key))
}

function label(key: string): string {
  return key === "environment" ? "" : `${name(key)} is `
}
