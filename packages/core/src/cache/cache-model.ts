import { Fingerprint } from "../text/fingerprint.js"
import { estimateTokens } from "../text/tokens.js"
import { field } from "../vocabulary/fields.js"
import type { HttpDialectName } from "../vocabulary/model.js"
import { blocksOf, type CacheBlock } from "./blocks.js"

/** What differs between models of one provider. */
export interface CacheOptions {
  /** The fewest tokens that are cached at all. */
  readonly minimum?: number
  /** How many blocks before a breakpoint are searched for an earlier one. */
  readonly lookBack?: number
  /** OpenAI from GPT-5.6 on: writes are charged, and what an earlier request wrote matches only at its breakpoints. */
  readonly breakpointsOnly?: boolean
}

/** What a provider does with one request, in tokens. */
export interface CacheUse {
  /** All of it. */
  readonly total: number
  /** Found in the cache. */
  readonly read: number
  /** Put into the cache. */
  readonly written: number
  /** Sent before, cacheable, and not read. */
  readonly missed: number
  /** What the provider itself takes as a change, if that is why. */
  readonly because?: "tool_choice" | "thinking" | "effort" | "images"
}

/** A block of a request that the caller has already taken apart. */
export interface CachedBlock {
  /** Which part of the request it belongs to. */
  readonly section: "tools" | "system" | "messages"
  /** Stands for the block: its text, or a hash of it. */
  readonly print: string
  /** What it costs. */
  readonly tokens: number
  /** True if it carries a cache marker. */
  readonly marked: boolean
}

/** What invalidates the conversation's part of Anthropic's cache although none of it changed. */
export interface Salts {
  /** The choice of tools, as text. */
  readonly tool_choice: string
  /** The setting for thinking, as text. */
  readonly thinking: string
  /** The effort, where one is set. */
  readonly effort?: string
  /** True if the request has an image. */
  readonly images: boolean
  /** True if OpenAI is asked to set no breakpoint of its own. */
  readonly explicit?: boolean
}

/** A modelled cache: tell it of each request in order. */
export interface CacheModel {
  /** What a request reads, writes and misses. */
  request(body: unknown): CacheUse
  /** The same for a request in blocks. */
  blocks(blocks: readonly CachedBlock[], salts: Salts): CacheUse
}

/** Models a provider's prompt cache by its published rules. It never expires: time is not what it models. */
export function cacheModel(dialect: HttpDialectName, options: CacheOptions = {}): CacheModel {
  const { blocks } = modelOf(dialect, options)
  return {
    blocks,
    request: (body) => {
      const all = blocksOf(body)
      // A marker of the whole request stands for one on its last block.
      const isWhole = (field(body, "cache_control") ?? undefined) !== undefined
      const marked = all.map((one, i) => ({
        ...cachedBlock(one),
        marked: one.marked || (isWhole && i === all.length - 1),
      }))
      return blocks(marked, saltsOf(body, all))
    },
  }
}

function modelOf(dialect: HttpDialectName, options: CacheOptions): Pick<CacheModel, "blocks"> {
  switch (dialect) {
    case "anthropic":
      return anthropicCache(options.minimum ?? 1_024, options.lookBack ?? 20)
    case "openai":
    case "openai-chat":
      return options.breakpointsOnly
        ? breakpointCache(options.minimum ?? 1_024)
        : prefixCache(options.minimum ?? 1_024, 128)
    case "gemini":
      return prefixCache(options.minimum ?? 2_048, 1)
  }
}

function cachedBlock({ section, text, marked }: CacheBlock): CachedBlock {
  return { section, marked, print: text, tokens: estimateTokens(text) }
}

/** A prefix of a body: what it is, and what it costs. */
interface Prefix {
  readonly print: string
  readonly tokens: number
  readonly marked: boolean
}

/**
 * Makes the prefixes of requests that grow, each from the one before it, so that what a request shares with the last
 * one is not made again.
 */
function prefixer(): (blocks: readonly CachedBlock[], salt: string) => readonly Prefix[] {
  let known: readonly CachedBlock[] = []
  let made: readonly Prefix[] = []
  let salted = ""

  return (blocks, salt) => {
    let same = 0
    while (same < blocks.length && isSame(blocks[same], known[same], salt === salted)) same++
    const prefixes = made.slice(0, same)
    let isSalted = prefixes.length > 0 && blocks[same - 1]?.section === "messages"
    for (const block of blocks.slice(same)) {
      const before = prefixes.at(-1)
      const print = new Fingerprint().add(before?.print ?? "")
      if (block.section === "messages" && !isSalted) {
        print.add(salt)
        isSalted = true
      }
      print.add(block.print)
      prefixes.push({
        print: print.toString(),
        tokens: (before?.tokens ?? 0) + block.tokens,
        marked: block.marked,
      })
    }
    known = blocks
    made = prefixes
    salted = salt
    return prefixes
  }
}

function isSame(a: CachedBlock | undefined, b: CachedBlock | undefined, isSalt: boolean): boolean {
  if (a === undefined || b === undefined) return false
  if (a.section === "messages" && !isSalt) return false
  return a.print === b.print && a.section === b.section && a.tokens === b.tokens && a.marked === b.marked
}

/** Writes entries at breakpoints, and finds them at a breakpoint or up to `lookBack` blocks before it. */
function anthropicCache(minimum: number, lookBack: number) {
  const entries = new Set<string>()
  const saltedPrefixes = prefixer()
  const plainPrefixes = prefixer()
  let before:
    | { readonly plain: ReadonlySet<string>; readonly salts: Salts; readonly cached: number }
    | undefined

  return {
    blocks(blocks: readonly CachedBlock[], salts: Salts): CacheUse {
      const prefixes = saltedPrefixes(blocks, JSON.stringify(salts))
      const plain = plainPrefixes(blocks, "")
      const marks = prefixes.flatMap((prefix, i) => (prefix.marked ? [i] : []))
      const read = marks.reduce((best, mark) => Math.max(best, hit(prefixes, mark)), 0)
      const last = prefixes[marks.at(-1) ?? -1]?.tokens ?? 0
      const shared = plain.findLast(({ print }) => before?.plain.has(print))?.tokens ?? 0
      const cacheable = Math.min(shared, before?.cached ?? 0)
      const missed = cacheable >= minimum ? Math.max(0, cacheable - read) : 0
      const because = missed > 0 && before ? changedSalt(before.salts, salts) : undefined
      for (const mark of marks) {
        const prefix = prefixes[mark]
        if (prefix && prefix.tokens >= minimum) entries.add(prefix.print)
      }
      before = { plain: new Set(plain.map(({ print }) => print)), salts, cached: last }
      return {
        total: prefixes.at(-1)?.tokens ?? 0,
        read,
        written: last >= minimum ? Math.max(0, last - read) : 0,
        missed,
        ...(because && { because }),
      }
    },
  }

  function hit(prefixes: readonly Prefix[], mark: number): number {
    for (let i = mark; i >= 0 && i >= mark - lookBack; i--) {
      const prefix = prefixes[i]
      if (prefix && entries.has(prefix.print)) return prefix.tokens
    }
    return 0
  }
}

function saltsOf(body: unknown, blocks: readonly CacheBlock[]): Salts {
  return {
    tool_choice: JSON.stringify(field(body, "tool_choice") ?? { type: "auto" }),
    thinking: JSON.stringify(field(body, "thinking") ?? null),
    effort: JSON.stringify(field(field(body, "output_config"), "effort") ?? null),
    images: blocks.some(({ text }) => text.includes('"type":"image"')),
    ...(field(field(body, "prompt_cache_options"), "mode") === "explicit" && { explicit: true }),
  }
}

function changedSalt(before: Salts, now: Salts): CacheUse["because"] {
  return (["tool_choice", "thinking", "effort", "images"] as const).find((name) => before[name] !== now[name])
}

/** How many breakpoints a request of OpenAI's writes at most, and how many of them are looked at to read. */
const WRITTEN = 4
const MATCHED = 80

/**
 * Writes entries at the newest breakpoints. One that OpenAI sets by itself, at the end, is among them unless the request is
 * explicit. Finds an entry at any breakpoint, however far back; without explicit ones, where any request has ended.
 */
function breakpointCache(minimum: number) {
  const entries = new Set<string>()
  const prefixesOf = prefixer()
  let sent = new Set<string>()

  return {
    blocks(blocks: readonly CachedBlock[], { explicit = false }: Pick<Salts, "explicit">): CacheUse {
      const prefixes = prefixesOf(blocks, "")
      const marks = prefixes.filter(({ marked }) => marked)
      const end = prefixes.slice(-1)
      const candidates = explicit ? marks.slice(-MATCHED) : prefixes
      const found = (one: Prefix) => one.tokens >= minimum && entries.has(one.print)
      const read = candidates.findLast(found)?.tokens ?? 0
      const shared = prefixes.findLast((one) => one.tokens >= minimum && sent.has(one.print))?.tokens ?? 0
      const written = explicit ? marks.slice(-WRITTEN) : [...marks.slice(1 - WRITTEN), ...end]
      for (const { print } of written) entries.add(print)
      sent = new Set(written.map(({ print }) => print))
      const last = written.at(-1)?.tokens ?? 0
      return {
        total: end[0]?.tokens ?? 0,
        read,
        written: last >= minimum ? Math.max(0, last - read) : 0,
        missed: Math.max(0, shared - read),
      }
    },
  }
}

/** Reads the longest prefix shared with any earlier request, in whole steps. Writing costs nothing. */
function prefixCache(minimum: number, step: number) {
  const entries = new Set<string>()
  const prefixesOf = prefixer()
  let sent = new Set<string>()

  return {
    blocks(blocks: readonly CachedBlock[]): CacheUse {
      const prefixes = prefixesOf(blocks, "")
      const cacheable = (tokens: number) => (tokens < minimum ? 0 : Math.floor(tokens / step) * step)
      const read = cacheable(prefixes.findLast(({ print }) => entries.has(print))?.tokens ?? 0)
      const shared = cacheable(prefixes.findLast(({ print }) => sent.has(print))?.tokens ?? 0)
      const total = prefixes.at(-1)?.tokens ?? 0
      for (const { print } of prefixes) entries.add(print)
      sent = new Set(prefixes.map(({ print }) => print))
      return {
        total,
        read,
        written: 0,
        missed: Math.max(0, shared - read),
      }
    },
  }
}
