import type { Agent, ContentPart, Session, ToolDefinition } from "@sotto/core"
import type { Access } from "../execution/permissions/access.js"
import type { Judge } from "../execution/permissions/rules.js"
import type { Location } from "../platform/workspace/location.js"
import type { KnownFiles } from "./file-views/known-files.js"

/** What a tool gives back. `error` is for the model: the call did not do what was asked. */
export interface Output {
  readonly content: string | readonly ContentPart[]
  readonly error?: boolean
}

/** What a tool may know and touch beside its input. */
export interface ToolContext {
  /** The id of the call. */
  readonly call: string
  /** The workspace: an absolute path without links. Relative paths in inputs start here. */
  readonly cwd: string
  /** Tells where a path in the input leads: the same place all through the call. */
  place(path: string): Promise<Location>
  readonly agent: Agent
  /** What the agent may touch, for tools that come upon more than their input names. */
  readonly judge: Judge
  /** What the model has read, so that the work of other programs or people is not overwritten unseen. */
  readonly files: KnownFiles
  /** A folder for output that is too long to show. Made when first used. */
  readonly scratch: string
  readonly abort: AbortSignal
  /**
   * Asks for what the call turns out to touch beside what it named, as the call itself was judged and asked about. Returns
   * why it may not, for the model.
   */
  permit(accesses: readonly Access[]): Promise<string | undefined>
  /** Tells the engine that something happened. */
  readonly note: Session["note"]
  /** Tells the engine that something holds. */
  readonly observe: Session["observe"]
  progress(line: string): void
}

/** A call as a tool is given it. */
export interface NamedCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

/** Something the model can do. */
export interface Tool<Input = Readonly<Record<string, unknown>>> {
  readonly definition: ToolDefinition
  /** Its schema comes from outside, and may welcome fields that it does not name. */
  readonly foreign?: boolean
  /** Calls that change something run one after the other, in the order the model made them; others run together. */
  readonly changes: boolean
  /** What the call would touch: judged, and asked about, before it runs. Throws ToolError for input that cannot be judged. */
  access(input: Input, context: ToolContext): Promise<readonly Access[]>
  run(input: Input, context: ToolContext): Promise<Output>
  /** Of a tool that reaches others: the call by the name of the one it is for. Hooks go by that. */
  meant?(input: Input, context: ToolContext): Promise<NamedCall>
}
