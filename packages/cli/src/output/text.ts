import type { HarnessEvent, TurnEnd } from "@sotto/harness"

export interface Ink {
  dim(text: string): string
  bold(text: string): string
  red(text: string): string
}

/** Colours for a terminal, and none where nobody would see them or NO_COLOR is set. */
export function inkFor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Ink {
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0"
  const on = (isTerminal || forced) && !env.NO_COLOR && env.TERM !== "dumb"
  const paint = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text)
  return { dim: paint(2), bold: paint(1), red: paint(31) }
}

const LONGEST_LINE = 160

/** Events as a person likes to read them: what the agent does and was told, a line each, and its words. */
export function textOutput(
  write: (text: string) => void,
  ink: Ink,
  quiet: boolean,
): (event: HarnessEvent) => void {
  let open = false
  const endLine = () => {
    if (open) write("\n")
    open = false
  }
  const line = (text: string) => {
    endLine()
    write(`${text}\n`)
  }
  const aside = (text: string) => {
    if (!quiet) line(ink.dim(firstLine(text)))
  }
  return (event) => {
    switch (event.type) {
      case "text":
        open = !event.text.endsWith("\n")
        write(event.text)
        break
      case "step":
        endLine()
        break
      case "tool-call":
        aside(`  ${event.name} ${JSON.stringify(event.input)}`)
        break
      case "tool-result":
        aside(`  ${event.error ? "✗" : "→"} ${event.output}`)
        break
      case "progress":
        aside(`    ${event.line}`)
        break
      case "reminder":
        aside(`  ▸ told: ${event.kind} (${event.tokens} tokens, ${event.carrier}): ${event.text}`)
        break
      case "agent":
        aside(`  agent: ${event.name}`)
        break
      case "rebase":
        aside(`  the conversation starts afresh: ${event.reason}`)
        break
      case "retry":
        aside(`  ${event.reason}; trying again in ${event.seconds} s (${event.attempt})`)
        break
      case "ask":
        line(asked(event, ink))
        break
      case "interrupted":
        line(ink.dim("  interrupted"))
        break
      case "error":
        line(ink.red(`error: ${event.message}`))
        break
      case "turn-end":
        endLine()
        if (event.reason === "max-steps")
          line(
            ink.dim(`  stopped after ${event.steps} steps, the most this agent may take; say more to go on`),
          )
        else if (UNFINISHED[event.reason] !== undefined) line(ink.dim(`  ${UNFINISHED[event.reason]}`))
        break
      default:
        break
    }
  }
}

/** Ends of turns that nothing else has told of. */
const UNFINISHED: Readonly<Partial<Record<TurnEnd, string>>> = {
  length: "the answer was cut at the model's limit on output; say more to go on",
  refused: "the model refused to go on",
  filtered: "the provider's filter withheld the answer",
  overflow: "stopped: the context is full",
}

function asked(event: Extract<HarnessEvent, { type: "ask" }>, ink: Ink): string {
  switch (event.kind) {
    case "permission":
      return `${ink.bold(`? allow ${event.tool}: ${event.permission} ${event.target}`)}${event.detail ? `\n${event.detail}` : ""}`
    case "question":
      return ink.bold(`? ${event.question}${event.options ? ` (${event.options.join(" / ")})` : ""}`)
    case "plan":
      return `${ink.bold(`? the plan in ${event.path}: approve, or say what to change`)}\n${event.plan}`
  }
}

function firstLine(text: string): string {
  const [first = "", ...more] = text.split("\n")
  const cut = first.length > LONGEST_LINE ? `${first.slice(0, LONGEST_LINE)}…` : first
  return more.some((rest) => rest.trim() !== "") && !cut.endsWith("…") ? `${cut} …` : cut
}
