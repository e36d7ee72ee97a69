import { statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Agent, ContentPart, KnownSignal } from "@sotto/core"
import type { Access } from "../../execution/permissions/access.js"
import { accessTo } from "../../execution/permissions/path-access.js"
import { readableIn } from "../../execution/permissions/readable.js"
import type { Judge } from "../../execution/permissions/rules.js"
import { ripgrep } from "../../execution/programs/ripgrep.js"
import { reasonOf } from "../../platform/text/errors.js"
import type { Location } from "../../platform/workspace/location.js"
import { callableAgents } from "../../settings/agents/selection.js"
import { resourceAccess } from "../mcp/access.js"
import type { McpServers } from "../mcp/servers.js"
import type { Said, SourceContext } from "../source.js"
import { looksMeant, type Mention, mentionsIn } from "./parse.js"
import { Room, showFile } from "./show.js"
import { type Names, type Target, targetOf } from "./target.js"

const MOST_ENTRIES = 200

/** Lists what is in a directory, one level deep, without what ignore files leave out and what may not be read. */
async function listingOf(folder: Location, judge: Judge, signal: AbortSignal): Promise<string> {
  const { path } = folder
  const isReadable = readableIn(folder, judge)
  const entries = new Set<string>()
  await ripgrep(["--files", "--hidden", "--glob=!.git"], path, signal, (file) => {
    if (!isReadable(file)) return true
    const [first = "", ...below] = file.split(/[\\/]/)
    entries.add(below.length > 0 ? `${first}/` : first)
    return true
  })
  // Where everything is ignored, the user means it all the same.
  if (entries.size === 0)
    for (const entry of await readdir(path, { withFileTypes: true }))
      if (entry.name !== ".git" && isReadable(entry.name))
        entries.add(entry.isDirectory() ? `${entry.name}/` : entry.name)
  const sorted = [...entries].sort()
  const more = sorted.length - MOST_ENTRIES
  return [...sorted.slice(0, MOST_ENTRIES), ...(more > 0 ? [`[and ${more} more: use glob]`] : [])].join("\n")
}

type Shown = KnownSignal<"mention.file" | "mention.pdf" | "mention.directory" | "mention.agent">

/** Makes a key: two mentions with the same key would show the same. */
function keyOf(shown: Shown): string {
  if (shown.type === "mention.agent") return JSON.stringify([shown.type, shown.agent])
  return JSON.stringify([shown.type, shown.path, shown.type === "mention.file" && shown.lines])
}

/** Milliseconds that a server has for a resource. */
const RESOURCE_LIMIT = 20_000

/** What there is to mention beside files. */
export interface Mentionable {
  readonly agents: readonly Agent[]
  readonly mcp: Pick<McpServers, "names" | "readResource">
}

/**
 * What a human's messages mention. It is looked at when the message is about to be delivered, and not before: until
 * then the message may be edited, and the files may change.
 */
export class Mentions {
  readonly #context: SourceContext
  readonly #mentionable: Mentionable
  readonly #pending = new Map<string, readonly Mention[]>()
  readonly #reported = new Set<string>()
  readonly #fetching = new Set<Promise<void>>()

  constructor(context: SourceContext, mentionable: Mentionable) {
    this.#context = context
    this.#mentionable = mentionable
    for (const { id, content, origin, hidden } of context.session.queue())
      if (origin.kind === "human" && !hidden) this.#await(id, mentionsIn(wordsOf(content)))
  }

  /** Says at once what does not exist, while the user still remembers what was meant. */
  said({ id, content }: Said): void {
    const mentions = mentionsIn(wordsOf(content))
    this.#await(id, mentions)
    for (const mention of mentions)
      void targetOf(mention, this.#names()).then((target) => {
        const denied = this.#denied(target)
        if (target.is === "missing") this.#miss(id, mention)
        else if (denied !== undefined) this.#reportOnce(id, mention, denied)
      })
  }

  /** Files, directories and agents. */
  collect(signal: AbortSignal): void | Promise<void> {
    if (this.#pending.size === 0 || this.#context.session.phase !== "ready") return
    const due = new Set(this.#context.session.due().map(({ id }) => id))
    const ready = [...this.#pending].filter(([id]) => due.has(id) || this.#state(id) === "delivered")
    for (const id of this.#pending.keys()) if (this.#state(id) === "cancelled") this.#pending.delete(id)
    if (ready.length > 0) return this.#tell(ready, signal)
  }

  /** Waits for what comes from servers, which may take a while; it is asked for while the mentions are looked at. */
  fetched(looking: Promise<void> | undefined): void | Promise<void> {
    const { names } = this.#mentionable.mcp
    const mayCome = [...this.#pending.values()].some((mentions) =>
      mentions.some(({ name }) => names.some((server) => name.startsWith(`${server}:`))),
    )
    if (mayCome || this.#fetching.size > 0) return this.#arrived(looking)
  }

  async #arrived(looking: Promise<void> | undefined): Promise<void> {
    await looking
    await Promise.all(this.#fetching)
  }

  #await(id: string, mentions: readonly Mention[]): void {
    if (mentions.length > 0) this.#pending.set(id, mentions)
    else this.#pending.delete(id)
  }

  async #tell(ready: readonly (readonly [string, readonly Mention[]])[], signal: AbortSignal): Promise<void> {
    const { session } = this.#context
    for (const [id, mentions] of ready) {
      const signals = await this.#shown(id, mentions, signal)
      // Edited meanwhile, it is looked at anew.
      if (this.#pending.get(id) !== mentions) continue
      this.#pending.delete(id)
      for (const one of signals) session.note({ ...one, message: id })
    }
  }

  async #shown(id: string, mentions: readonly Mention[], signal: AbortSignal): Promise<readonly Shown[]> {
    const room = new Room()
    const signals = new Map<string, Shown>()
    for (const mention of mentions) {
      const target = await targetOf(mention, this.#names())
      const denied = this.#denied(target)
      if (target.is === "missing") this.#miss(id, mention)
      else if (denied !== undefined) this.#reportOnce(id, mention, denied)
      else if (target.is === "resource") this.#fetch(id, target.server, target.uri, signal)
      else {
        const shown = await this.#show(target, room, signal)
        signals.set(keyOf(shown), shown)
      }
    }
    return [...signals.values()]
  }

  async #show(
    target: Exclude<Target, { is: "missing" | "resource" }>,
    room: Room,
    signal: AbortSignal,
  ): Promise<Shown> {
    switch (target.is) {
      case "agent":
        return { type: "mention.agent", agent: target.agent }
      case "directory": {
        const listing = await listingOf(target.place, this.#context.judge, signal)
        return { type: "mention.directory", path: target.place.relative.replace(/\/?$/, "/"), listing }
      }
      case "file":
        return showFile(target.place, target.lines, room, this.#context, signal)
    }
  }

  #fetch(message: string, server: string, uri: string, closed: AbortSignal): void {
    const { session, report } = this.#context
    const limit = AbortSignal.timeout(RESOURCE_LIMIT)
    const late = new Promise<never>((_, reject) => {
      limit.addEventListener("abort", () => reject(new Error(`no answer within ${RESOURCE_LIMIT / 1000} s`)))
    })
    const fetching = Promise.race([
      this.#mentionable.mcp.readResource(server, uri, AbortSignal.any([limit, closed])),
      late,
    ])
      .then((found) => {
        if (!closed.aborted) session.note({ type: "mention.resource", message, server, uri, ...found })
      })
      .catch((error: unknown) => {
        const why = reasonOf(error)
        if (!closed.aborted) report(`@${server}:${uri} was left as text: ${why}`)
      })
      .finally(() => this.#fetching.delete(fetching))
    this.#fetching.add(fetching)
  }

  /**
   * Says why what is mentioned may not be shown. What would be asked is not asked: the user who mentions a file wants
   * it shown.
   */
  #denied(target: Target): string | undefined {
    const denied = accessesTo(target).find((access) => this.#context.judge(access) === "deny")
    if (denied === undefined) return undefined
    const { permission } = denied
    const { name } = this.#context.agent()
    return `the permissions of ${name} deny it (${permission}). Change the rule, or switch to an agent that may read it.`
  }

  #miss(id: string, mention: Mention): void {
    const { cwd } = this.#context
    if (!looksMeant(mention, (name) => isFolder(join(cwd, name)))) return
    this.#reportOnce(id, mention, "there is no such file, directory, agent or resource.")
  }

  #reportOnce(id: string, mention: Mention, why: string): void {
    const key = `${id}\n${mention.name}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#context.report(`${mention.raw} was left as text: ${why}`)
  }

  #state(id: string) {
    return this.#context.session.receipt(id)?.state
  }

  #names(): Names {
    const { agents, mcp } = this.#mentionable
    return {
      cwd: this.#context.cwd,
      agents: callableAgents(agents).map(({ name }) => name),
      servers: mcp.names,
    }
  }
}

function accessesTo(target: Target): readonly Access[] {
  switch (target.is) {
    case "file":
    case "directory":
      return accessTo("read", target.place)
    case "resource":
      return [resourceAccess(target.server, target.uri)]
    default:
      return []
  }
}

function wordsOf(content: readonly ContentPart[]): string {
  return content
    .flatMap((part) => (part.type === "text" && !part.synthetic && !part.ignored ? [part.text] : []))
    .join("\n")
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
