import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment, privateFolder, replacePrivate } from "@sotto/harness"
import { newSecret } from "../peers/secrets.js"
import { UsageError } from "../usage.js"
import { hashOf } from "./secrets.js"

/**
 * A sender other than the user who may send messages, such as a chat bridge. Its name is the origin of what it says.
 */
interface Channel {
  readonly name: string
  /** SHA-256 of its token. The token itself is not kept. */
  readonly hash: string
  readonly created: number
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

function channelFile(env: Environment): string {
  return join(dataFolder(env), "server.channels.json")
}

/** Reads the channels as the file has them now: a server that runs takes a new one without being started again. */
export function readChannels(env: Environment): readonly Channel[] {
  const path = channelFile(env)
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
  try {
    const found = JSON.parse(text) as { channels: readonly Channel[] }
    return found.channels.filter(({ name, hash }) => typeof name === "string" && typeof hash === "string")
  } catch {
    throw new UsageError(`${path} is damaged. Remove it, and add the channels again.`)
  }
}

/** Adds a channel and returns its token, which cannot be had again. */
export function addChannel(env: Environment, name: string): string {
  if (!NAME.test(name))
    throw new UsageError(`"${name}" is no name for a channel: use letters, digits, ".", "_" and "-".`)
  if (name === "user") throw new UsageError('"user" is what your own token is called. Use another name.')
  const channels = readChannels(env)
  if (channels.some((one) => one.name === name))
    throw new UsageError(
      `There is a channel "${name}" already. \`sotto serve channel remove ${name}\` removes it.`,
    )
  const token = newSecret()
  writeChannels(env, [...channels, { name, hash: hashOf(token), created: Date.now() }])
  return token
}

export function removeChannel(env: Environment, name: string): void {
  const channels = readChannels(env)
  if (!channels.some((one) => one.name === name))
    throw new UsageError(`There is no channel "${name}". \`sotto serve channel list\` lists them.`)
  writeChannels(
    env,
    channels.filter((one) => one.name !== name),
  )
}

function writeChannels(env: Environment, channels: readonly Channel[]): void {
  const path = channelFile(env)
  privateFolder(dataFolder(env))
  replacePrivate(path, `${JSON.stringify({ channels }, undefined, 2)}\n`)
}
