import type { ContentPart, Entry, Message, Part, Session, Signal } from "@sotto/core"
import { type HarnessEvent, type Retold, retold } from "@sotto/harness"
import { emptyScreen, reduce } from "./reduce.js"
import type { Screen, ScreenEvent, ScreenItem } from "./screen.js"

/**
 * Restores the screen of a session that exists already: its log, told again by the events of a live conversation, and
 * shown by the same reducer. No second way leads from a session to a screen.
 */
export function restoredScreen(session: Session): Screen {
  const start = emptyScreen(session.id, session.agent, session.model)
  const screen = retold(session).reduce((before, told) => shown(before, told), start)
  // Whether a call waited for its permission is not in the log: its time would be wrong.
  const items = screen.items.map(
    (item): ScreenItem => (item.is === "call" ? { ...item, call: { ...item.call, seconds: 0 } } : item),
  )
  return { ...screen, items, agent: session.agent, waiting: [] }
}

function shown(screen: Screen, { entry, events }: Retold): Screen {
  const all: readonly (HarnessEvent | ScreenEvent)[] = [...aroundOf(entry, screen), ...events]
  return all.reduce((before, event) => reduce(before, event, entry.at), screen)
}

function aroundOf(entry: Entry, screen: Screen): readonly ScreenEvent[] {
  switch (entry.type) {
    case "opened":
    case "model":
      return [{ type: "model-is", model: entry.model.id }]
    case "step": {
      const window = entry.epoch?.pins.capabilities.contextWindow
      return window === undefined ? [] : [{ type: "model-is", model: screen.model, window }]
    }
    case "said":
      return saidEvents(entry, screen)
    case "edited":
      return [{ type: "waiting", waiting: screen.waiting.map((one) => edited(one, entry)) }]
    case "noted":
      return typedEvents(entry.signal)
    case "imported":
      return entry.messages.flatMap((message) => importedEvents(message))
    default:
      return []
  }
}

function typedEvents({ type, command, output, failed }: Signal): readonly ScreenEvent[] {
  if (type !== "command.typed") return []
  const ran = { command: String(command), output: String(output), failed: failed === true }
  return [{ type: "typed-ends", ...ran }]
}

export function saidEvents(
  { id, content, origin, delivery, hidden }: Pick<Extract<Entry, { type: "said" }>, SaidFields>,
  { waiting }: Pick<Screen, "waiting">,
): readonly ScreenEvent[] {
  if (hidden) return []
  const text = wordsOf(content)
  if (origin.kind === "task-notification")
    return [{ type: "task-over", task: origin.task ?? "agent", failed: origin.failed ?? false, text }]
  if (origin.kind !== "human") return []
  return [{ type: "waiting", waiting: [...waiting, { id, text, delivery, held: false }] }]
}

type SaidFields = "id" | "content" | "origin" | "delivery" | "hidden"

function edited(one: Screen["waiting"][number], entry: Extract<Entry, { type: "edited" }>) {
  if (one.id !== entry.id) return one
  return {
    ...one,
    ...(entry.content && { text: wordsOf(entry.content) }),
    ...(entry.delivery && { delivery: entry.delivery }),
  }
}

function importedEvents({ role, parts }: Message): readonly ScreenEvent[] {
  const text = wordsOf(parts)
  if (text.trim() === "" || role === "tool") return []
  return [{ type: "page", markdown: role === "user" ? text.replaceAll(/^/gm, "> ") : text }]
}

/** Writes a message as its author sees it, with a mark for each image and file in it. */
export function wordsOf(parts: readonly (Part | ContentPart)[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return part.synthetic ? [] : [part.text]
      return part.type === "image" || part.type === "file" ? [`[${part.name ?? part.mediaType}]`] : []
    })
    .join("\n")
}
