import { completions, type ProjectRuntime } from "@sotto/harness"
import { offerArguments, offerCommands } from "../commands/table.js"
import type { TerminalContext } from "../context.js"
import { accept, type InputCompletion, sameTrigger, type Trigger, triggerIn } from "../input/completion.js"
import { offered, withBuffer, withoutOffer } from "../state/draft.js"
import type { Draft } from "../state/ui.js"

/** Offers what could be meant, as it is being typed. */
export class CompletionMenu {
  readonly #terminal: TerminalContext
  #trigger: Trigger | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  /** Expects to be called when the text has changed. */
  async look(): Promise<void> {
    const { draft } = this.#terminal.ui()
    const trigger = draft.back > 0 ? undefined : triggerIn(draft.buffer)
    if (sameTrigger(trigger, this.#trigger)) return
    this.#trigger = trigger
    if (trigger === undefined) return this.#change(withoutOffer)
    const items =
      trigger.kind === "mention"
        ? await mentions(trigger.query, this.#terminal.workplace)
        : this.#offers(trigger)
    // The answer to what was typed before is of no use any more.
    if (sameTrigger(trigger, this.#trigger)) this.#change((one) => offered(one, trigger, items))
  }

  /** Puts in what is chosen. Whether there is a command now that can be carried out. */
  accept(): boolean {
    const { draft } = this.#terminal.ui()
    const chosen = draft.offer?.items[draft.offer.chosen]
    if (draft.offer === undefined || chosen === undefined) return false
    const { trigger } = draft.offer
    this.#change((one) => withoutOffer(withBuffer(one, accept(one.buffer, trigger, chosen))))
    // Typed in full, it is meant as it is.
    return trigger.kind !== "mention" && !(chosen.takesWords && chosen.text !== trigger.query)
  }

  #offers(trigger: Trigger): readonly InputCompletion[] {
    if (trigger.kind === "command") return offerCommands(trigger.query, this.#terminal)
    return offerArguments(trigger.command ?? "", trigger.query, this.#terminal)
  }

  #change(edit: (draft: Draft) => Draft): void {
    this.#terminal.update((ui) => {
      const draft = edit(ui.draft)
      return draft === ui.draft ? ui : { ...ui, draft }
    })
  }
}

/** Finds what can be mentioned here: files, folders, agents, and resources of MCP servers. */
async function mentions(query: string, workplace: ProjectRuntime): Promise<readonly InputCompletion[]> {
  const found = await completions(query, workplace)
  return found
    .map(({ kind, text, about = "" }) => ({
      text: text.slice(1),
      detail: kind === "agent" || kind === "resource" ? `${kind}: ${about}` : "",
      goesOn: kind === "directory",
    }))
    .filter(({ text }) => text !== query)
}
