import type { Signal } from "../vocabulary/signal.js"

/**
 * Signals of your own, for rules of your own: the fields of each, by its type. Declare them by merging:
 *
 * @example
 * ```ts
 * declare module "@sotto/core" {
 *   interface CustomSignals {
 *     "ci.failed": { readonly job: string }
 *   }
 * }
 * session.note({ type: "ci.failed", job: "test" })
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging
export interface CustomSignals {}

/**
 * Facts of your own: the value of each, by its key. A key that ends in `:*` stands for a family. Declare them by merging:
 *
 * @example
 * ```ts
 * declare module "@sotto/core" {
 *   interface CustomFacts {
 *     "branch:*": { readonly ahead: number }
 *   }
 * }
 * session.observe("branch:main", { ahead: 2 })
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging
export interface CustomFacts {}

declare const DYNAMIC: unique symbol

/** A signal whose type only the running program knows. Made by `dynamic`. */
export interface DynamicSignal {
  /** What happened. */
  readonly type: string
  readonly [DYNAMIC]: true
}

/** The key of a fact that only the running program knows. Made by `dynamic`. */
export type DynamicKey = string & { readonly [DYNAMIC]: true }

/**
 * Lets a signal or the key of a fact through that no declaration knows, because it comes from a configuration, a plug-in
 * or a log. Declare what you can in `CustomSignals` and `CustomFacts` instead: then the compiler checks the fields.
 *
 * @example
 * ```ts
 * session.note(dynamic({ type: plugin.event, ...plugin.fields }))
 * session.observe(dynamic(`plugin:${plugin.name}`), plugin.state)
 * ```
 */
export function dynamic(key: string): DynamicKey
export function dynamic(signal: Signal): DynamicSignal
export function dynamic(value: string | Signal): unknown {
  return value
}
