import type { EarlierAnswer, MessageGroup, ToldText } from "./conversation.js"

const REMINDER = /<system-reminder(?:\s[^>]*)?>\n?([\s\S]*?)\n?<\/system-reminder>/g

/** Gathers a conversation as a dialect reads it off the wire, item by item, in order. */
export class ConversationBuilder {
  readonly #groups: MessageGroup[] = []
  readonly #system: string[] = []
  #pieces: ToldText[] = []
  #answer: EarlierAnswer | undefined

  /** Adds system text. What opens the conversation is the prompt; what comes later is a reminder. */
  system(text: string): void {
    if (this.#groups.length === 0 && this.#pieces.length === 0 && this.#answer === undefined)
      this.#system.push(text)
    else this.#told([{ from: "system", text, carrier: "system-message" }])
  }

  user(text: string): void {
    this.#told(split(text, "user"))
  }

  result(text: string): void {
    this.#told(split(text, "tool"))
  }

  /** Items of the assistant that follow each other are one answer. */
  assistant(text: string, calls: number): void {
    const before = this.#answer
    this.#answer = { text: `${before?.text ?? ""}${text}`, calls: (before?.calls ?? 0) + calls }
  }

  get prompt(): string {
    return this.#system.join("\n")
  }

  groups(): readonly MessageGroup[] {
    return [...this.#groups, { pieces: this.#pieces, ...(this.#answer && { answer: this.#answer }) }]
  }

  #told(pieces: readonly ToldText[]): void {
    if (this.#answer !== undefined) {
      this.#groups.push({ pieces: this.#pieces, answer: this.#answer })
      this.#pieces = []
      this.#answer = undefined
    }
    this.#pieces.push(...pieces)
  }
}

/** Reminders between tags are told apart from the words around them, wherever one text holds both. */
function split(text: string, from: "user" | "tool"): readonly ToldText[] {
  const found: ToldText[] = []
  let end = 0
  const words = (until: number) => {
    const between = text.slice(end, until)
    if (between.trim() !== "") found.push({ from, text: between })
  }
  for (const match of text.matchAll(REMINDER)) {
    words(match.index)
    found.push({ from, text: match[1] ?? "", carrier: from === "tool" ? "tool-result" : "user-text" })
    end = match.index + match[0].length
  }
  words(text.length)
  return found
}
