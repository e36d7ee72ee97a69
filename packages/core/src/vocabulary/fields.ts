import { isStorable, type Json } from "./json.js"

/** Reads a field of something that came over the network and may be anything. */
export function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>)[name] : undefined
}

/** Reads a text under a name, or undefined. */
export function stringField(value: unknown, name: string): string | undefined {
  const found = field(value, name)
  return typeof found === "string" ? found : undefined
}

/** Reads a number from 0 under a name, or 0. */
export function numberField(value: unknown, name: string): number {
  const found = field(value, name)
  return typeof found === "number" && found > 0 && found < Infinity ? found : 0
}

/** Reads a list under a name, or an empty one. */
export function listField(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name)
  return Array.isArray(found) ? found : []
}

/** Parses a text; undefined if it is not JSON, or is missing. */
export function jsonIn(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses the input of a call as it came off the wire; undefined if it is not JSON, as when the stream was cut, and if
 * it still grows: to try with every piece would take time for all pieces before.
 */
export function parseInput(text: string, done = true): Json | undefined {
  if (!done) return undefined
  if (text.trim() === "") return {}
  try {
    const input = JSON.parse(text)
    return isStorable(input) ? input : undefined
  } catch {
    return undefined
  }
}

/** Takes the last part of a model's name, as the API wants it: people write "anthropic/claude-opus-5". */
export function bareModel(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1)
}

/** Ids as the strictest provider wants them. The same id always gives the same. */
export function wireId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_")
}

/** Names a called function as the strictest provider wants it: a model may call what it was not offered. */
export function wireName(name: string): string {
  return wireId(name).slice(0, 64) || "unnamed"
}

/** Makes an object of the input of a call, as the providers want it back, whatever the model made of it. */
export function inputObject(input: Json): Fields {
  return isFields(input) ? input : { value: input }
}

/** True for what an API may call a type: not for "", nor for what every object has, such as "constructor". */
export function isWord(type: string): boolean {
  return type !== "" && !(type in {})
}

/** Any object but a list. */
export type Fields = { readonly [key: string]: Json }

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value)
}
