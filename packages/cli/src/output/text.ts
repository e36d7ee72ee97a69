import type { HarnessEvent, TurnEnd } from "@sotto/harness"
import { InertStream } from "../screen/inert.js"
import { type Ink, type InkPiece, Painted } from "../screen/ink.js"
import { counted } from "./figures.js"
import { questionText, unmarked } from "./question.js"
import { compactedText, endingOf, rebaseText } from "./words.js"

const LONGEST_LINE = 160

type Write = (...pieces: readonly InkPiece[]) => void

export interface TextOptions {
  /** Takes what the model writes. */
  readonly say: Write
  /** Takes everything else: what the agent does and was told, questions, errors. */
  readonly tell: Write
  readonly ink: Ink
  /** Only the answer, which is what the last step of a turn says, and errors. */
  readonly quiet?: boolean
  /** Marks the end of each turn, for people who go on from there. */
  readonly ends?: boolean
  readonly columns?: () => number | undefined
}

/** Events as a person likes to read them: what the agent does and was told, a line each, and its words. */
export function textOutput({
  say,
  tell,
  ink,
  quiet = false,
  ends = false,
  columns = () => undefined,
}: TextOptions): (event: HarnessEvent) => void {
  let open = false
  let answer = ""
  const prose = new InertStream()
  const endLine = () => {
    const rest = prose.end()
    if (open || rest !== "") say(Painted.cleaned(`${rest}\n`))
    open = false
  }
  const line = (...pieces: readonly InkPiece[]) => {
    endLine()
    tell(...pieces, "\n")
  }
  const aside = (text: string) => {
    if (!quiet) line(ink.dim(firstLine(text)))
  }
  const unfinished = ({ reason, steps }: Extract<HarnessEvent, { type: "turn-end" }>) => {
    const ending = TOLD.includes(reason) ? undefined : endingOf(reason, steps)
    if (ending) line(ink.dim(`  ${ending.what}; ${ending.remedy}`))
  }
  return (event) => {
    switch (event.type) {
      case "text":
        if (event.text === "") break
        if (quiet) {
          answer += event.text
          break
        }
        open = !event.text.endsWith("\n")
        say(Painted.cleaned(prose.push(unmarked(event.text))))
        break
      case "step":
        answer = ""
        endLine()
        break
      case "tool-call":
        aside(`  ${event.name} ${JSON.stringify(event.input)}`)
        break
      case "tool-result":
        aside(`  ${event.error ? "✗" : "→"} ${event.output}`)
        break
      case "search":
        aside(`  searched the web: ${event.query}`)
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
      case "attached":
        aside(`  ↳ with ${event.name}: ${event.what}`)
        break
      case "compacted":
        aside(`  ${compactedText(event)}`)
        break
      case "rebase":
        aside(`  ${rebaseText(event.reason)}`)
        break
      case "retry":
        answer = ""
        aside(`  trying again in ${event.seconds} s (attempt ${event.attempt + 1}): ${event.reason}`)
        break
      case "ask":
        endLine()
        tell(...questionText(event, ink, columns()))
        break
      case "interrupted":
        line(ink.dim("  interrupted"))
        break
      case "notice":
        if (!quiet) line(ink.dim(`note: ${event.message}`))
        break
      case "error":
        line(ink.red(`error: ${event.message}`))
        break
      case "turn-end":
        // It may be piped on: its marks stay.
        if (answer !== "")
          say(Painted.cleaned(`${prose.push(answer)}${prose.end()}`), answer.endsWith("\n") ? "" : "\n")
        answer = ""
        endLine()
        unfinished(event)
        if (ends)
          line(
            ink.dim(`── ${event.reason === "done" ? "done" : "over"} after ${counted(event.steps, "step")}`),
          )
        break
      default:
        break
    }
  }
}

/** Ends of turns that an event of their own has told of already. */
const TOLD: readonly TurnEnd[] = ["interrupted", "error"]

/** Shows of a text what has room in a line. */
export function firstLine(text: string): string {
  const [first = "", ...more] = unmarked(text).split("\n")
  const cut = first.length > LONGEST_LINE ? `${first.slice(0, LONGEST_LINE)}…` : first
  return more.some((rest) => rest.trim() !== "") && !cut.endsWith("…") ? `${cut} …` : cut
}
