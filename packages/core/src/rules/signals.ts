import type { Signal } from "./rule.js"

/** Signals that the standard rules listen to. A harness notes them; any other type is welcome for rules of its own. */
export interface StandardSignals {
  /** Somebody else changed a file that the model has read. `actor`, if known, is who. */
  "file.edited": {
    readonly path: string
    readonly before?: string
    readonly after?: string
    readonly actor?: string
  }
  /** The embedding program has something that must be said as it stands. */
  "critical": { readonly text: string }
  /** The agent brought its list of todos up to date. */
  "todo.written": object
  /** Noted by the engine itself. */
  "turn.aborted": { readonly reason?: string }
  "session.recovered": object
}

type SignalType = keyof StandardSignals

/** The fields of a signal as the rule for it expects them; a harness may have left some out. */
export function fieldsOf<T extends SignalType>(signal: Signal, type: T): Partial<StandardSignals[T]> | undefined {
  return signal.type === type ? (signal as Signal & Partial<StandardSignals[T]>) : undefined
}
