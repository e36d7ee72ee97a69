import type { RehearsalOptions } from "../server/options.js"
import type { BilledRequest, RequestSeen } from "../server/record.js"
import { type Rehearsal, startRehearsal } from "../server/start.js"

/** The hooks of vitest, jest or node:test. */
export interface TestHooks {
  readonly beforeEach: (set: () => Promise<void>) => unknown
  readonly afterEach: (clear: () => Promise<void>) => unknown
}

/** A stand-in that lives as long as a test. */
export interface TestRehearsal {
  /** The address of the stand-in of this test, without a version: "http://127.0.0.1:8080". */
  readonly url: string
  /** Every request of this test, in order. */
  readonly requests: readonly RequestSeen[]
  /** What each answer of this test is billed as, in the order in which the answers ended. */
  readonly billed: readonly BilledRequest[]
  /** Variables by which clients find the stand-in, with keys that it accepts. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts a stand-in provider before each test of a file, and closes it after the test. A test fails at its end if the
 * stand-in refused one of its requests, or if an expectation of the script did not hold; errors that the script or the client
 * asked for are fine.
 *
 * @example
 * const rehearsal = useRehearsal({ beforeEach, afterEach }, { script: [{ text: "Hello." }] })
 * it("answers", async () => {
 *   const client = new Anthropic({ baseURL: rehearsal.url, apiKey: "any" })
 * })
 */
export function useRehearsal(
  { beforeEach, afterEach }: TestHooks,
  options: RehearsalOptions & { readonly allowRefusals?: boolean } = {},
): TestRehearsal {
  const { allowRefusals = false, ...served } = options
  let running: Rehearsal | undefined
  beforeEach(async () => {
    running = await startRehearsal(served)
  })
  afterEach(async () => {
    const ended = running
    running = undefined
    await ended?.close()
    if (!allowRefusals) refuseRefusals(ended?.requests ?? [])
  })
  const now = (): Rehearsal => {
    if (running === undefined) throw new Error("The rehearsal runs only while a test does.")
    return running
  }
  return {
    get url() {
      return now().url
    },
    get requests() {
      return now().requests
    },
    get billed() {
      return now().billed
    },
    get env() {
      return environmentFor(now().url)
    },
  }
}

/** Throws if the stand-in refused a request that was at fault itself. The message names each, with the field. */
export function refuseRefusals(requests: readonly RequestSeen[]): void {
  const refused = requests.flatMap(({ error, rehearsed, dialect }, i) =>
    error === undefined || rehearsed
      ? []
      : [
          `  request ${i + 1} (${dialect}): ${error.param === undefined ? "" : `${error.param}: `}${error.message}`,
        ],
  )
  if (refused.length > 0)
    throw new Error(
      `The rehearsal refused ${refused.length} of ${requests.length} requests:\n${refused.join("\n")}`,
    )
}

/** Variables by which the providers' own clients find a stand-in at this address. */
export function environmentFor(url: string): Readonly<Record<string, string>> {
  const key = "rehearsal"
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
  }
}
