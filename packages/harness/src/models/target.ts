import type { HttpDialectName } from "@sotto/core"

/** Where a model is reached, and how it is spoken to. */
export interface ModelTarget {
  /** "provider/model": what the session calls its model. */
  readonly name: string
  readonly dialect: HttpDialectName
  /** Milliseconds without a byte after which a call is given up. */
  readonly silence: number
  readonly headers: Readonly<Record<string, string>>
  /** Asked for at every call: the rehearsal has an address only once it is used. */
  url(): Promise<string>
  /** Ends what was started for it. */
  close(): Promise<void>
}
