import type { Script } from "../script/script.js"
import type { RequestSeen } from "./record.js"

/** How a rehearsal is started. */
export interface RehearsalOptions {
  /** Without one, the tour. */
  readonly script?: Script | Script["steps"]
  /** A free one unless given. */
  readonly port?: number
  /** The largest body that is taken, in bytes: 32 MiB, as Anthropic's, unless given. */
  readonly bodyLimit?: number
  /** What it says that it offers; any other model is played too. */
  readonly models?: readonly string[]
  /** The keys that it takes, as the real one would; any, and none, unless given. */
  readonly keys?: readonly string[]
  /** Seconds since 1970. */
  readonly now?: () => number
  /** Hears of every request once it is decided what to do with it. */
  readonly seen?: (request: RequestSeen) => void
  /** How many of the newest requests `requests` holds; all unless given. A server that runs for days wants a number. */
  readonly keep?: number
  /** Milliseconds before each token of the tour, so that a person can follow it; none unless given. */
  readonly tokenDelay?: number
}
