import { field, jsonIn, stringField } from "@sotto/core/dialect"
import type { CallResponse, HttpDialectName } from "../call.js"
import { number } from "../segments/json.js"

/** Tokens of the prompt as the provider reported them: each is counted once. */
export interface ReportedUsage {
  /** Neither read from the cache nor written to it. */
  readonly plain: number
  readonly read: number
  readonly written: number
  readonly output: number
}

/** What a response says about its request. */
export interface Reported {
  readonly usage?: ReportedUsage
  readonly id?: string
  /** The provider's own cache diagnostics, if it was asked. Without a reason it found nothing changed. */
  readonly diagnosis?: { readonly reason?: string; readonly tokens?: number }
}

export function reportedBy(response: CallResponse | undefined, dialect: HttpDialectName): Reported {
  if (response === undefined) return {}
  const events = response.body !== undefined ? [response.body] : eventsIn(response.text ?? "")
  let known: Reported = {}
  for (const event of events) known = { ...known, ...reportIn(event, dialect, known) }
  return known
}

/** Reads the events of a response that say something about it; does not read the text of an answer. */
function eventsIn(response: string): readonly unknown[] {
  const start = response.trimStart()
  if (start.startsWith("{") || start.startsWith("[")) {
    const whole = jsonIn(start)
    return Array.isArray(whole) ? whole : [whole]
  }
  return response.split("\n").flatMap((line) => {
    if (!line.startsWith("data:") || !/"usage|"diagnostics"|"response"/.test(line)) return []
    return [jsonIn(line.slice("data:".length))]
  })
}

function reportIn(event: unknown, dialect: HttpDialectName, known: Reported): Reported {
  switch (dialect) {
    case "anthropic":
      return anthropic(event, known)
    case "openai":
    case "openai-chat":
      return openai(field(event, "response") ?? event)
    case "gemini":
      return gemini(field(event, "response") ?? event)
  }
}

function anthropic(event: unknown, { usage: before }: Reported): Reported {
  const message = field(event, "message") ?? event
  const id = stringField(message, "id")
  const usage = field(message, "usage")
  const diagnostics = field(message, "diagnostics")
  const miss = field(diagnostics, "cache_miss_reason")
  // The last event of a stream repeats the counts, or only tells the output.
  const count = (name: string, other: number) =>
    field(usage, name) === undefined ? other : number(usage, name)
  return {
    ...(id !== undefined && { id }),
    ...(usage !== undefined &&
      usage !== null && {
        usage: {
          plain: count("input_tokens", before?.plain ?? 0),
          read: count("cache_read_input_tokens", before?.read ?? 0),
          written: count("cache_creation_input_tokens", before?.written ?? 0),
          output: count("output_tokens", before?.output ?? 0),
        },
      }),
    ...(diagnostics !== undefined && {
      diagnosis: diagnosisOf(
        miss === null ? "pending" : stringField(miss, "type"),
        field(miss, "cache_missed_input_tokens"),
      ),
    }),
  }
}

function diagnosisOf(reason: string | undefined, tokens: unknown): NonNullable<Reported["diagnosis"]> {
  return {
    ...(reason !== undefined && { reason }),
    ...(reason !== undefined && typeof tokens === "number" && { tokens }),
  }
}

/** Reads the usage of both APIs: they count what the cache gave and took as input too. */
function openai(answer: unknown): Reported {
  const id = stringField(answer, "id")
  const usage = field(answer, "usage")
  const found = field(answer, "prompt_cache_diagnostics")
  const type = stringField(found, "type")
  const reason = type === "cache_hit" ? undefined : (stringField(found, "reason") ?? type)
  const told = {
    ...(id !== undefined && { id }),
    ...(type !== undefined && { diagnosis: diagnosisOf(reason, field(found, "cache_missed_tokens")) }),
  }
  if (usage === undefined || usage === null) return told
  const details = field(usage, "input_tokens_details") ?? field(usage, "prompt_tokens_details")
  const read = number(details, "cached_tokens") || number(usage, "prompt_cache_hit_tokens")
  const written = number(details, "cache_write_tokens")
  const all = number(usage, "input_tokens") || number(usage, "prompt_tokens")
  const output = number(usage, "output_tokens") || number(usage, "completion_tokens")
  return { ...told, usage: { plain: Math.max(0, all - read - written), read, written, output } }
}

function gemini(answer: unknown): Reported {
  const id = stringField(answer, "responseId")
  const usage = field(answer, "usageMetadata")
  if (usage === undefined) return id === undefined ? {} : { id }
  const read = number(usage, "cachedContentTokenCount")
  const plain = Math.max(0, number(usage, "promptTokenCount") - read)
  const output = number(usage, "candidatesTokenCount") + number(usage, "thoughtsTokenCount")
  return { ...(id !== undefined && { id }), usage: { plain, read, written: 0, output } }
}
