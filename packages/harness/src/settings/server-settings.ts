import { dirname, join, resolve } from "node:path"
import { durationIn, sizeIn } from "../platform/text/amounts.js"
import { configFolder, type Environment } from "../platform/workspace/folders.js"
import { configurationAt } from "./config/files.js"
import type { TenantLimits, WebhookSettings } from "./config/outside.js"
import { CONFIG_FILE, parsedConfig } from "./trust/survey.js"

/** Which sessions are to leave the store, as the user's own sotto.json says. */
export interface RetentionSettings {
  /** Milliseconds without a change. */
  readonly olderThan?: number
  /** Bytes. */
  readonly largerThan?: number
  readonly keepLatest?: number
  readonly to?: string
}

/** Reads what the user's own sotto.json says of retention; undefined if it names neither an age nor a size. */
export function retentionSettings(env: Environment): RetentionSettings | undefined {
  const { path, settings } = ownSettings(env)
  const found = settings?.retention
  if (found?.olderThan === undefined && found?.largerThan === undefined) return undefined
  const olderThan = found.olderThan === undefined ? undefined : durationIn(found.olderThan)
  const largerThan = found.largerThan === undefined ? undefined : sizeIn(found.largerThan)
  return {
    ...(olderThan !== undefined && { olderThan }),
    ...(largerThan !== undefined && { largerThan }),
    ...(found.keepLatest !== undefined && { keepLatest: found.keepLatest }),
    ...(found.to !== undefined && { to: resolve(dirname(path), found.to) }),
  }
}

/** Reads by tenant what the user's own sotto.json allows: `user` for the user's token, else the name of a channel. */
export function tenantSettings(env: Environment): Readonly<Record<string, TenantLimits>> {
  return ownSettings(env).settings?.tenants ?? {}
}

/** Reads by name where the user's own sotto.json has events posted to. */
export function webhookSettings(env: Environment): Readonly<Record<string, WebhookSettings>> {
  return ownSettings(env).settings?.webhooks ?? {}
}

function ownSettings(env: Environment) {
  const path = join(configFolder(env), CONFIG_FILE)
  const source = configurationAt(path)
  return { path, settings: source === undefined ? undefined : parsedConfig(source, path) }
}
