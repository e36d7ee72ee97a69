import type { MediaPart } from "../vocabulary/message.js"
import type { Signal } from "../vocabulary/signal.js"
import type { CustomFacts, CustomSignals } from "./custom.js"

/**
 * What happened, as the standard rules expect to hear of it. A harness notes these with `session.note`; it declares
 * signals of its own in `CustomSignals`. Fields that are not known may be left out.
 */
export interface StandardSignals {
  /** The user mentioned `@path`: the file as it would have been read. `message` is the id of the message. */
  "mention.file": {
    readonly message?: string
    readonly path: string
    readonly content?: string
    readonly lines?: { readonly from: number; readonly to: number }
    /** Only a part of it is in `content`. */
    readonly truncated?: { readonly shown: number; readonly total: number }
    readonly media?: readonly MediaPart[]
    /** Not mentioned: it was read before a compaction and is shown again, as it is now. */
    readonly restored?: boolean
  }
  /** A mentioned PDF with more pages than can be shown at once. */
  "mention.pdf": { readonly message?: string; readonly path: string; readonly pages?: number }
  /** The user mentioned `@dir/`. */
  "mention.directory": { readonly message?: string; readonly path: string; readonly listing: string }
  /** `@server:uri`. Without `text` it is binary. */
  "mention.resource": {
    readonly message?: string
    readonly server: string
    readonly uri: string
    readonly text?: string
    readonly mediaType?: string
    readonly bytes?: number
  }
  /** The user mentioned `@agent`. */
  "mention.agent": { readonly message?: string; readonly agent: string }
  /** A file that the model has read was changed by someone else. `actor`, if known, is who. */
  "file.edited": {
    readonly path: string
    readonly before?: string
    readonly after?: string
    readonly actor?: string
    /** True if the file is gone. */
    readonly deleted?: boolean
    /** It was told to be deleted, and is there again. `before` is what was read before that. */
    readonly returned?: boolean
  }
  /** More files than are worth a difference each, as after a checkout. */
  "files.edited": { readonly paths: readonly string[]; readonly actor?: string }
  /** A file that was read before a compaction is too large to be shown again. */
  "file.not_restored": { readonly path: string }
  /** All problems that a language server reports for a file, in the version that the model knows. */
  diagnostics: { readonly path: string; readonly items: readonly Diagnostic[] }
  /** A stored memory fits the task. */
  "memory.matched": { readonly id: string; readonly title?: string; readonly content: string }
  /** A tool call touched something that a skill is about. */
  "skill.relevant": {
    readonly name: string
    readonly description?: string
    /** The user has not vouched for who wrote it. */
    readonly untrusted?: boolean
  }
  /** The agent brought its list up to date. */
  "todo.written": object
  /** The agent brought the shared list of tasks up to date. */
  "task.written": object
  /** A background task was stopped, or its progress was asked for. */
  "task.stopped": TaskReport & {
    /** Who stopped it: "the user", "you". */
    readonly by?: string
  }
  /** What is new of a background task that is running. */
  "task.progress": TaskReport
  /** A hook stopped the turn from going on. */
  "hook.stopped": { readonly hook: string; readonly message: string }
  /** A hook has something to say; `late` if the turn did not wait for it. */
  "hook.answered": { readonly hook: string; readonly message: string; readonly late?: boolean }
  /** The same call with the same input, again and again. */
  "loop.detected": { readonly tool: string; readonly times: number }
  /** Noted when a stored session is opened again. `away` is for people: "3 days". */
  "session.resumed": { readonly away?: string }
  /** The embedding program has something that must be said as it stands. */
  critical: { readonly text: string }
  /** Noted by the engine itself. */
  "turn.aborted": { readonly reason?: string }
  /** Noted by the engine itself, after a crash. */
  "session.recovered": object
  /** Noted by the engine itself. */
  "session.compacted": object
}

/** One problem that a language server reports. */
export interface Diagnostic {
  /** The line, counted from 1. */
  readonly line: number
  /** As the language server names it: "error", "warning". */
  readonly severity?: string
  /** What is wrong. */
  readonly message: string
  /** Who says so: "typescript". */
  readonly source?: string
}

/** What is known of a background task. */
export interface TaskReport {
  /** What the harness knows it by. */
  readonly id: string
  /** What it is: "agent", "command". */
  readonly kind?: string
  /** What it does, in a few words. */
  readonly description?: string
  /** What is new since it was last told. */
  readonly news?: string
  /** Where its output is. */
  readonly output?: string
}

/** Text of a folder that the user has not vouched for: introduced as such, and never told with system authority. */
interface Untrusted {
  readonly text: string
  readonly untrusted: true
}

/** What holds, as the standard rules and the system prompt expect to know it. `*` stands for a name. */
export interface StandardFacts {
  /** Layer 2 of the system prompt; changes are told as differences. */
  date: string
  /** Where the agent works, as names and values, or each under a key of its own. */
  environment: string | Readonly<Record<string, string>>
  /** Something about where the agent works: `environment:directory`, `environment:git`. */
  "environment:*": string
  /** The text of an instruction file, by its path. */
  "instructions:*": string | Untrusted
  /** The skills that this agent may use. */
  skills: readonly { readonly name: string; readonly description: string; readonly untrusted?: boolean }[]
  /** The subagents that this agent may call. */
  agents: readonly { readonly name: string; readonly description: string }[]
  /** With what the user trusts the folder; when it changes, an epoch ends. */
  trust: string
  /** An instruction file below the project's root, found because something beside it was read. */
  "nested:*": string | Untrusted
  /** The agent's list of what is to be done. */
  todos: readonly { readonly content: string; readonly status: string }[]
  /** The list of tasks that a team shares. */
  tasks: readonly {
    /** What the list's tools know it by. */
    readonly id?: string
    readonly content: string
    readonly status: string
    readonly owner?: string
  }[]
  /** The style in which the user wants answers. */
  output_style: string | { readonly name: string; readonly text?: string }
  /** Acting without asking. */
  auto: boolean
  /** Planning without the agent `plan`. */
  "plan:active": boolean
  /** False where nothing compacts the conversation before the context is full. */
  "compaction:auto": boolean
  /** The session's economy drops old tool results when that pays; its name. */
  economy: string
  /** The file that holds the plan of the newest planning; `earlier` is the plan that was there when it began. */
  "plan:file": {
    readonly path: string
    readonly content?: string
    /** True once the plan is carried out. */
    readonly finished?: boolean
    readonly earlier?: { readonly path: string; readonly content: string; readonly finished?: boolean }
  }
  /** What the user has selected in the editor. */
  "ide:selection": {
    readonly file: string
    readonly from: number
    readonly to: number
    readonly text: string
  }
  /** The file that is open in the editor. */
  "ide:file": string
  /** A skill that was invoked in this session. */
  "invoked:*": {
    readonly name: string
    readonly path: string
    readonly content: string
    readonly untrusted?: boolean
  }
  /** A background task that is running. */
  "task:*": TaskReport
  /** The team that the agent is a member of. */
  team: { readonly name: string; readonly members: readonly string[]; readonly reach?: string }
  /**
   * The tools of one MCP server, and the instructions it gives. `input` is what a tool takes, in short: "path, lines?".
   * `how` says how to call tools that the list does not have; without it the list has all of them.
   */
  "tools:*": {
    readonly tools: readonly {
      readonly name: string
      readonly input?: string
      readonly description?: string
    }[]
    readonly instructions?: string
    readonly how?: string
  }
}

interface Signals extends StandardSignals, CustomSignals {}

/** The type of a signal that is declared: one of `StandardSignals` or of `CustomSignals`. */
export type SignalType = keyof Signals

/** A signal that is declared, with the fields that its declaration asks for. What `session.note` takes. */
export type KnownSignal<T extends SignalType = SignalType> = {
  [Type in T]: { readonly type: Type } & Signals[Type]
}[T]

interface FactValues extends StandardFacts, CustomFacts {}

/** "tools:*" stands for every key that begins with "tools:". */
type Keys<Declared> = Declared extends `${infer Family}:*` ? `${Family}:${string}` : Declared

/** The key of a fact that is declared: "date", or `instructions:${path}` for "instructions:*". */
export type FactKey = { [Declared in keyof FactValues]: Keys<Declared> }[keyof FactValues] & string

/** The family of a declared key: "tools" for "tools:*". */
export type FactFamily = keyof FactValues extends infer Declared
  ? Declared extends `${infer Family}:${string}`
    ? Family
    : never
  : never

/** What `session.observe` takes for a key. */
export type FactValue<Key extends string> = Key extends keyof FactValues
  ? FactValues[Key]
  : {
      [Declared in keyof FactValues]: Key extends Keys<Declared> ? FactValues[Declared] : never
    }[keyof FactValues]

/**
 * Reads the fields of a signal, if it is of this type; undefined if it is of another. Each field may be missing,
 * because a harness may have left it out.
 *
 * @example
 * ```ts
 * onSignal({
 *   kind: "typed_command",
 *   signal: "hook.answered",
 *   say: ([signal]) => [{ line: `The hook ${fieldsOf(signal, "hook.answered")?.hook ?? "?"} answered.` }],
 * })
 * ```
 */
export function fieldsOf<T extends SignalType>(signal: Signal, type: T): Partial<Signals[T]> | undefined {
  return signal.type === type ? (signal as Signal & Partial<Signals[T]>) : undefined
}
