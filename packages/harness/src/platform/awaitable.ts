/**
 * A value that may come later. What has it at once gives it at once, so that its callers need not wait either: a file of
 * SQLite answers while its caller waits, a database elsewhere does not.
 */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value: in the same breath if it is there, and else when it comes. */
export function whenThere<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Gathers values: they are there at once if each of them is. */
export function allThere<T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[])
}
