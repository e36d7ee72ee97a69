import type { Script } from "../script/script.js"

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
  /** Milliseconds before each token of the tour, so that a person can follow it; none unless given. */
  readonly tokenDelay?: number
}
