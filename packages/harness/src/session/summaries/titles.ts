import { pastOf, type Session } from "@sotto/core"
import { redact } from "../../platform/secrets/redact.js"
import { textOf } from "../../platform/text/text.js"
import type { SessionCatalogue } from "../../store/contract.js"
import { askAbout, type HiddenAgentParts } from "./ask.js"
import { transcriptOf } from "./transcript.js"

/** A summary is brought up to date after this number of turns. */
const TURNS = 10
/** Characters of a title. */
export const LONGEST_TITLE = 80
/** Tokens of the conversation that a summary for a list goes by. */
const SUMMARY_WINDOW = 30_000

/** Has hidden agents name a session and say what came of it: beside the work, never in its way, and never twice at once. */
export class Titles {
  readonly #session: Session
  readonly #store: SessionCatalogue
  readonly #writing: () => HiddenAgentParts
  /** What no title and no summary may quote. */
  readonly #secrets: readonly string[]
  #turns = 0
  #busy: Promise<void> = Promise.resolve()

  constructor(
    session: Session,
    store: SessionCatalogue,
    writing: () => HiddenAgentParts,
    secrets: readonly string[],
  ) {
    this.#session = session
    this.#store = store
    this.#writing = writing
    this.#secrets = secrets
  }

  turnEnded(): void {
    const isFirst = this.#turns === 0
    const isDue = this.#turns % TURNS === 0
    this.#turns++
    if (!isDue) return
    // A title is a convenience: without one the list shows the first words of the session.
    this.#busy = this.#busy.then(() => this.#write(isFirst)).catch(() => undefined)
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#busy
  }

  async #write(isFirst: boolean): Promise<void> {
    const { id } = this.#session
    const first = this.#session.view().find(({ role }) => role === "user")
    if (first === undefined) return
    if (isFirst && (await this.#store.about(id)).title === undefined) {
      const words = await askAbout(
        {
          agent: "title",
          purpose: "title",
          ask: "Name this conversation. Answer with the title alone.",
          transcripts: [() => textOf(first.parts)],
        },
        this.#writing(),
      )
      const title = redact(words, this.#secrets).trim().split("\n")[0]?.slice(0, LONGEST_TITLE) ?? ""
      // The user may have named it meanwhile.
      if ((await this.#store.about(id)).title === undefined) await this.#store.describe(id, { title })
    }
    const summary = await askAbout(
      {
        agent: "summary",
        purpose: "outcome",
        ask: "Tell what came out of this conversation so far. Answer with these sentences alone.",
        transcripts: [() => transcriptOf(pastOf(this.#session), SUMMARY_WINDOW)],
      },
      this.#writing(),
    )
    await this.#store.describe(id, { summary: redact(summary, this.#secrets).trim() })
  }
}
