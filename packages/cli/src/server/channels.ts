import type { Environment } from "@sotto/harness"
import { newSecret } from "../peers/secrets.js"
import { UsageError } from "../usage.js"
import { checkName, hashOf, keepCredentials, readCredentials } from "./secrets.js"

/**
 * A sender other than the user who may send messages, such as a chat bridge. Its name is the origin of what it says.
 */
interface Channel {
  readonly name: string
  /** SHA-256 of its token. The token itself is not kept. */
  readonly hash: string
  readonly created: number
}

const FILE = "server.channels.json"

/** Reads the channels as the file has them now: a server that runs takes a new one without being started again. */
export function readChannels(env: Environment): readonly Channel[] {
  return readCredentials<Channel>(env, FILE, "channels")
}

/** Adds a channel and returns its token, which cannot be had again. */
export function addChannel(env: Environment, name: string, taken: readonly string[]): string {
  checkName(name, "channel", taken)
  const channels = readChannels(env)
  if (channels.some((one) => one.name === name))
    throw new UsageError(
      `There is a channel "${name}" already. \`sotto serve channel remove ${name}\` removes it.`,
    )
  const token = newSecret()
  keepCredentials(env, FILE, "channels", [...channels, { name, hash: hashOf(token), created: Date.now() }])
  return token
}

export function removeChannel(env: Environment, name: string): void {
  const channels = readChannels(env)
  if (!channels.some((one) => one.name === name))
    throw new UsageError(`There is no channel "${name}". \`sotto serve channel list\` lists them.`)
  const others = channels.filter((one) => one.name !== name)
  keepCredentials(env, FILE, "channels", others)
}
