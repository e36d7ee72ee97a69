import { createSession, type Message, type Session } from "@sotto/core"
import type { ModelLink } from "./model-link.js"
import type { Workplace } from "./workplace.js"

/** Has the hidden agent write what stands for the conversation so far. Throws if nothing comes of it. */
export async function summarise(
  session: Session,
  workplace: Workplace,
  link: ModelLink,
  model: string,
  signal: AbortSignal,
): Promise<string> {
  const agent = workplace.agents.find(({ name }) => name === "compaction")
  const writer = createSession({
    agents: [agent ?? { name: "compaction" }],
    agent: "compaction",
    model: workplace.modelNamed(model),
    rules: [],
    now: workplace.now,
    newId: () => `${session.id}-summary`,
  })
  writer.say(transcriptOf(session))
  const next = writer.next()
  if (next.is !== "request") throw new Error("There is nothing to summarise.")
  const ignore = () => undefined
  const reply = await link.call(next.request, {
    signal,
    onDelta: ignore,
    onPartial: ignore,
    onRetry: ignore,
  })
  const text = reply.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  if (text.trim() === "") throw new Error("The summary came back empty.")
  return text
}

/** Who said what, so that the summary can keep apart what the user, a tool and the harness said. */
function transcriptOf(session: Session): string {
  const told = session.asides().filter(({ kind }) => kind !== "queued_command")
  return [
    "Summarise this conversation.",
    ...session.view().map(labelled),
    ...told.map(({ kind, text }) => `[the harness, ${kind}] ${text}`),
  ].join("\n\n")
}

function labelled({ role, parts }: Message): string {
  const words = parts.flatMap((part) => {
    switch (part.type) {
      case "text":
        return [part.text]
      case "tool-call":
        return [`(calls ${part.name} with ${JSON.stringify(part.input)})`]
      case "tool-result":
        return part.output.flatMap((inner) => (inner.type === "text" ? [inner.text] : []))
      default:
        return []
    }
  })
  const who = role === "user" ? "the user" : role === "tool" ? "a tool" : "the agent"
  return `[${who}] ${words.join("\n")}`
}
