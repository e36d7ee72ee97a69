import { type Entry, type KnownSignal, neutralise } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import type { KeptText, KnownFile } from "../../tools/file-views/known-files.js"
import { shownPath } from "./facts.js"
import type { Found } from "./file-checker.js"

/** What was announced of a file: its hash, or undefined if it is gone. */
export interface Announced {
  readonly hash: string | undefined
  readonly text: KeptText
}

/** A file that is not what the model takes it for. */
export interface Change {
  readonly path: string
  readonly known: KnownFile
  /** What was announced of it before and not told in full, if anything was. */
  readonly announced: Announced | undefined
  readonly found: Found
  readonly actors: readonly (string | undefined)[]
}

/**
 * Up to this number of changes at one boundary are told one by one, the files touched last first; the rest by their
 * names.
 */
const MOST_DIFFERENCES = 20

/**
 * Makes the signals to note of the changes found at one boundary, which come in the order in which the files were
 * touched.
 */
export async function announcing(changes: readonly Change[], cwd: string): Promise<readonly KnownSignal[]> {
  const rest = changes.slice(0, -MOST_DIFFERENCES)
  const newest = changes.slice(-MOST_DIFFERENCES).map((change) => one(change, cwd))
  const signals = (await Promise.all(newest)).flat()
  if (rest.length === 0) return signals
  const paths = rest.map(({ path }) => shownPath(path, cwd))
  const actors = new Set(rest.flatMap((change) => change.actors))
  const [actor] = actors
  const known = actors.size === 1 && actor !== undefined ? { actor } : {}
  return [...signals, { type: "files.edited", paths, ...known }]
}

/**
 * Makes one signal for each who had a hand in it, so that the reminder names them all; the difference goes with the
 * first.
 */
async function one(
  { path, known, announced, found, actors }: Change,
  cwd: string,
): Promise<readonly KnownSignal[]> {
  const wasGone = announced ? announced.hash === undefined : known.gone === true
  const before = await textOf(wasGone || announced === undefined ? known.text : announced.text)
  const after = found.hash === known.hash ? await textOf(known.text) : found.text
  const isTold = before !== undefined && after !== undefined
  const state =
    found.hash === undefined
      ? { deleted: true, ...(before !== undefined && { before }) }
      : { ...(isTold && { before, after }), ...(wasGone && { returned: true }) }
  const who = actors.length === 0 ? [undefined] : [...new Set(actors)]
  return who.map((actor) => ({
    type: "file.edited" as const,
    path: shownPath(path, cwd),
    ...state,
    ...(actor !== undefined && { actor }),
  }))
}

function textOf(kept: KeptText): Awaitable<string | undefined> {
  return typeof kept === "function" ? kept() : kept
}

/** Tells how a step told of a file: with what is in it, or only that it changed. */
export function toldIn(step: Entry & { readonly type: "step" }): ReadonlyMap<string, "content" | "path"> {
  const told = step.reminders.filter(({ kind, key }) => kind === "edited_text_file" && key !== "")
  return new Map(told.map(({ key, body }) => [key, body === undefined ? "path" : "content"] as const))
}

/** Gives what the model knows of a file once it was told what is found. */
export function learned(known: KnownFile, { hash, text }: Announced): KnownFile {
  if (hash === undefined) return { ...known, gone: true }
  const { gone: _, ...there } = known
  if (hash === known.hash) return there
  // Of a text that is still in the store it cannot be told. Undoing an escape that was not made changes nothing.
  const isAltered = typeof text === "string" ? neutralise(text).count > 0 : text !== undefined
  return { hash, text, neutralised: known.neutralised || isAltered }
}
