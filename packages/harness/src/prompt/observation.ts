/** Something that holds, for `session.observe(key, value)`: a value, `removed()` or `unavailable()`. */
export interface Observation<Key extends string = string, Value = unknown> {
  readonly key: Key
  readonly value: Value
}
