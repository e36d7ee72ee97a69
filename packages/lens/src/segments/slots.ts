import type { HttpDialectName } from "../call.js"
import { anthropicSlots } from "./anthropic.js"
import { geminiSlots } from "./gemini.js"
import { openaiSlots } from "./openai.js"
import { chatSlots } from "./openai-chat.js"
import { parameterSlots } from "./parameters.js"
import { SECTIONS, type Section, type Slot } from "./segment.js"

/** A body as slots, in the order in which the provider's cache reads them, by section. */
export type Slots = Readonly<Record<Section, readonly Slot[]>>

export function slotsOf(body: unknown, dialect: HttpDialectName, model: string | undefined): Slots {
  const all = [...parameterSlots(body, dialect, model), ...contentSlots(body, dialect)]
  const bySection = (section: Section) => all.filter((slot) => slot.section === section)
  return Object.fromEntries(SECTIONS.map((section) => [section, bySection(section)])) as unknown as Slots
}

function contentSlots(body: unknown, dialect: HttpDialectName): readonly Slot[] {
  switch (dialect) {
    case "anthropic":
      return anthropicSlots(body)
    case "openai":
      return openaiSlots(body)
    case "openai-chat":
      return chatSlots(body)
    case "gemini":
      return geminiSlots(body)
  }
}
