import type { Config } from "@sotto/harness"
import type { MendingPolicy } from "@sotto/lens"
import { UsageError } from "../../usage.js"

/** What the command line says of policies. */
export interface PolicyFlags {
  readonly hold?: string | undefined
  readonly mute?: readonly string[] | undefined
  readonly throttle?: readonly string[] | undefined
  readonly smoosh?: boolean | undefined
  readonly breakpoints?: boolean | undefined
}

/**
 * Joins the policies of the configuration with those of the command line on top. Undefined if nothing is to be mended.
 */
export function policyOf(flags: PolicyFlags, config: Config["proxy"]): MendingPolicy | undefined {
  const hold = flags.hold === undefined ? config.hold : holdOf(flags.hold)
  const mute = [...new Set([...(config.mute ?? []), ...(flags.mute ?? [])])]
  const throttle = { ...config.throttle, ...Object.fromEntries((flags.throttle ?? []).map(throttleOf)) }
  const smoosh = flags.smoosh ?? config.smoosh
  const breakpoints = flags.breakpoints ?? config.breakpoints
  const policy: MendingPolicy = {
    ...(hold && { hold }),
    ...(mute.length > 0 && { mute }),
    ...(Object.keys(throttle).length > 0 && { throttle }),
    ...(smoosh && { smoosh }),
    ...(breakpoints && { breakpoints }),
  }
  return Object.keys(policy).length > 0 ? policy : undefined
}

export function policyText({ hold, mute = [], throttle = {}, smoosh, breakpoints }: MendingPolicy): string {
  return [
    ...(hold ? [hold === "results" ? "--hold=results" : "--hold"] : []),
    ...mute.map((kind) => `--mute ${kind}`),
    ...Object.entries(throttle).map(([kind, steps]) => `--throttle ${kind}=${steps}`),
    ...(smoosh ? ["--smoosh"] : []),
    ...(breakpoints ? ["--breakpoints"] : []),
  ].join(" ")
}

function holdOf(value: string): boolean | "results" {
  if (value === "") return true
  if (value === "results") return value
  throw new UsageError(`--hold=${value}: there is --hold, and --hold=results.`)
}

function throttleOf(given: string): [string, number] {
  const [, kind, steps] = /^(.+)=(\d+)$/.exec(given) ?? []
  if (kind === undefined || Number(steps) < 1)
    throw new UsageError(`--throttle ${given}: write KIND=STEPS, for example todo_reminder=10.`)
  return [kind, Number(steps)]
}
