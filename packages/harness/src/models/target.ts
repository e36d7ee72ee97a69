import type { HttpDialectName } from "@sotto/core"
import type { ProxySettings } from "../platform/network/proxy-settings.js"

/** Where a model is reached, and how it is spoken to. */
export interface ModelTarget {
  /** "provider/model": what the session calls its model. */
  readonly name: string
  readonly dialect: HttpDialectName
  /** Milliseconds without a byte after which a call is given up. */
  readonly silence: number
  readonly headers: Readonly<Record<string, string>>
  /** The proxies of the environment, where it names any. */
  readonly proxies?: ProxySettings
  /** Asked for at every call: the rehearsal has an address only once it is used. */
  url(): Promise<string>
  /** Ends what was started for it. */
  close(): Promise<void>
}
