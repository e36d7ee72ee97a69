import type { Call } from "../model/api.js"

/** Where a peer runs: folders of its own, and the server that plays its model. */
export interface Place {
  /** What npm installed. Empty for Sotto, which is where it is. */
  readonly installed: string
  readonly home: string
  readonly cwd: string
  readonly url: string
  /** Further variables for its process. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Launch {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What a line of a peer's output says about the time of a call. */
type ToolMark = "begin" | "end" | { readonly took: number }

/** A process that is talked to: several prompts, messages while it works. */
export interface Dialogue {
  readonly pid: number
  /** Resolves when the turn is over. */
  prompt(text: string, mode?: string): Promise<void>
  /** Resolves when the message is accepted. Absent: it takes none while it works. */
  readonly steer?: (text: string) => Promise<void>
  close(): Promise<void>
}

/** An agent to be measured: what it is called with, and how it is talked to. */
export interface Peer {
  readonly name: string
  readonly version: string
  /** The day on which npm got this version; absent if it was not looked up, as for a version of `--with`. */
  readonly released?: string
  /** Which product line the version is of, so that a reader knows whether people still run it. */
  readonly line: string
  /** As npm calls it; Sotto is not installed. */
  readonly package?: string
  /** The file in the project whose rules it follows. */
  readonly rulesFile: string
  /** The two modes that are switched between, if it has any. */
  readonly modes?: readonly [string, string]
  /** The call by which the script has it read a file. */
  read(path: string, cwd: string): Call
  /** The call of a step whose time is taken, where that is not to read a small file. */
  light?(): Call
  /** Writes what it finds at home: its provider, no updates, no telemetry. */
  prepare(place: Place): void
  /** One prompt, JSON lines out, and the end. */
  once(place: Place, prompt: string): Launch
  /** When a call began and ended, if its output tells. */
  toolMark?(line: unknown): ToolMark | undefined
  /** How long each call took, in milliseconds, if it tells otherwise, once it has ended. */
  toolTimes?(place: Place): readonly number[]
  talk(place: Place): Promise<Dialogue>
}

/** Says how old a peer's version is. Sotto is measured as it is in this tree. */
export function releasedOf({ released, package: name }: Peer): string {
  return released ?? (name === undefined ? "at the commit above" : "not looked up")
}
