/** Something that holds, for `session.observe(key, value)`: a value, `removed()` or `unavailable()`. */
export interface Observation {
  readonly key: string
  readonly value: unknown
}
