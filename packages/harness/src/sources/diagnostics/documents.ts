import { pathToFileURL } from "node:url"
import { languageOf } from "./presets.js"
import type { DiagnosticProblem } from "./problems.js"

/** A file that a server has been shown, or is about to be. */
export interface ServerDocument {
  readonly path: string
  readonly uri: string
  readonly language: string
  /** As it was before anybody changed it: shown first, so that its old problems are known as such. */
  opening: string | undefined
  /** As it is now. */
  text: string
  /** As the server has it; undefined if it has not been shown. */
  shown: string | undefined
  shownAt: number
  /** Of the text that was shown last. */
  version: number
  /** What was shown last is a change, and its effect is not known yet. */
  awaited: boolean
  /** What the server said by itself, and what it answered. */
  pushed: readonly DiagnosticProblem[]
  pulled: readonly DiagnosticProblem[]
  /** Since when it has been saying something, and when that counts as all. */
  hearing: { readonly since: number; readonly timer: NodeJS.Timeout } | undefined
  verdict: { readonly version: number; readonly problems: readonly DiagnosticProblem[] } | undefined
}

/** The documents of one server, least recently touched first. */
export class Documents {
  readonly #byUri = new Map<string, ServerDocument>()

  /** Takes the text of a file that the agent, or another program, has read or written. */
  touch(path: string, text: string, how: "read" | "written"): ServerDocument {
    const uri = uriOf(path)
    const known = this.#byUri.get(uri)
    const document = known ?? newDocument(path, uri, text)
    if (known === undefined && how === "read") document.opening = text
    document.text = text
    this.#byUri.delete(uri)
    this.#byUri.set(uri, document)
    return document
  }

  of(path: string): ServerDocument | undefined {
    return this.#byUri.get(uriOf(path))
  }

  /** Finds a document by the name the server uses, which may spell the same place in another way. */
  named(uri: string): ServerDocument | undefined {
    return this.#byUri.get(uri) ?? this.#byUri.get(plain(uri))
  }

  /** Takes out what was not touched for longest, down to `most`. */
  beyond(most: number): readonly ServerDocument[] {
    return [...this.#byUri.values()].slice(0, Math.max(0, this.#byUri.size - most)).map((document) => {
      this.drop(document)
      return document
    })
  }

  drop(document: ServerDocument): void {
    stopHearing(document)
    this.#byUri.delete(document.uri)
  }

  /**
   * Marks all documents as not shown, because the server that was shown them is gone: the next one starts from where it
   * was.
   */
  unshow(): void {
    for (const document of this.all()) {
      stopHearing(document)
      document.opening = document.shown ?? document.opening
      document.shown = undefined
      document.awaited = false
      document.verdict = undefined
      document.pushed = []
      document.pulled = []
    }
  }

  all(): readonly ServerDocument[] {
    return [...this.#byUri.values()]
  }
}

/** Gives what was said about the text that the document has now; undefined if nothing was, yet. */
export function verdictOn({
  verdict,
  version,
  text,
  shown,
}: ServerDocument): readonly DiagnosticProblem[] | undefined {
  return verdict?.version === version && text === shown ? verdict.problems : undefined
}

export function stopHearing(document: ServerDocument): void {
  clearTimeout(document.hearing?.timer)
  document.hearing = undefined
}

function newDocument(path: string, uri: string, text: string): ServerDocument {
  return {
    path,
    uri,
    language: languageOf(path),
    opening: undefined,
    text,
    shown: undefined,
    shownAt: 0,
    version: 0,
    awaited: false,
    pushed: [],
    pulled: [],
    hearing: undefined,
    verdict: undefined,
  }
}

function uriOf(path: string): string {
  return pathToFileURL(path).href
}

/** Servers escape more or fewer characters than Node does. */
function plain(uri: string): string {
  try {
    return new URL(uri).protocol === "file:" ? uriOf(decodeURIComponent(new URL(uri).pathname)) : uri
  } catch {
    return uri
  }
}
