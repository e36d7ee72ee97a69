import type { Attributes } from "@opentelemetry/api"
import type { Reply, Request, Usage } from "@sotto/core"
import { ATTRIBUTE, SPAN } from "./names.js"

/** Providers as the conventions call them, by the first part of a model's name. Any other keeps its own. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-chat": "openai",
  google: "gcp.gemini",
}

export function providerOf(model: string): string {
  const name = model.slice(0, Math.max(0, model.indexOf("/")))
  return (Object.hasOwn(PROVIDER_NAMES, name) ? PROVIDER_NAMES[name] : undefined) ?? name
}

/** Gives the model as its provider calls it. */
export function modelOf(model: string): string {
  return model.slice(model.indexOf("/") + 1)
}

/** Gives what is known when a call begins, and what its figures are counted by. */
export function callAttributes({ pins }: Request, url: string | undefined): Attributes {
  const address = url === undefined || !URL.canParse(url) ? undefined : new URL(url)
  return {
    [ATTRIBUTE.operation]: SPAN.chat,
    [ATTRIBUTE.provider]: providerOf(pins.model),
    [ATTRIBUTE.model]: modelOf(pins.model),
    ...(address && {
      [ATTRIBUTE.address]: address.hostname.replace(/^\[|\]$/g, ""),
      [ATTRIBUTE.port]:
        address.port === "" ? (address.protocol === "http:" ? 80 : 443) : Number(address.port),
    }),
  }
}

/** Gives what else is known of a request. Ids and settings do not serve as dimensions of figures. */
export function requestAttributes(
  { agent, sampling, pins, turn, step }: Request,
  session: string,
): Attributes {
  const { temperature, topP } = sampling ?? {}
  const most = pins.options?.max_tokens
  return {
    [ATTRIBUTE.conversation]: session,
    [ATTRIBUTE.agent]: agent,
    [ATTRIBUTE.stream]: true,
    [ATTRIBUTE.turn]: turn,
    [ATTRIBUTE.step]: step,
    ...(temperature !== undefined && { [ATTRIBUTE.temperature]: temperature }),
    ...(topP !== undefined && { [ATTRIBUTE.topP]: topP }),
    ...(typeof most === "number" && { [ATTRIBUTE.maxTokens]: most }),
    ...(pins.think !== undefined && { [ATTRIBUTE.think]: pins.think }),
  }
}

/** Counts the input as the conventions do: cached tokens too; Sotto's `input` is what was read anew. */
export function inputOf({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite
}

export function usageAttributes(usage: Usage): Attributes {
  return {
    [ATTRIBUTE.input]: inputOf(usage),
    [ATTRIBUTE.output]: usage.output,
    [ATTRIBUTE.cacheRead]: usage.cacheRead,
    [ATTRIBUTE.cacheWrite]: usage.cacheWrite,
  }
}

/** Says why the model stopped, in the conventions' words where they have one. */
export function finishOf({ stop = "end" }: Reply): string {
  switch (stop) {
    case "end":
      return "stop"
    case "tool-calls":
      return "tool_call"
    case "refusal":
    case "filtered":
      return "content_filter"
    case "malformed":
      return "error"
    default:
      return stop
  }
}
