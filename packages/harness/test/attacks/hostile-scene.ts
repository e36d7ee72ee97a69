import { fileURLToPath } from "node:url"
import { neutralise, restoreNeutralised } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { expect } from "vitest"
import { play, type Scene } from "../scene-support.js"

export const program = (name: "mcp" | "lsp" | "hook"): string =>
  fileURLToPath(new URL(`./hostile-${name}.mjs`, import.meta.url))

/** Bytes of a request, and characters of what the user is told at once. */
const LARGEST_REQUEST = 1_500_000
const LONGEST_NEWS = 20_000
const LARGEST_GROWTH = 1_000_000_000

/** What a turn with hostile replies came to. What must hold for each of them has been checked. */
export async function endured(scene: Scene) {
  const keys = Object.getOwnPropertyNames(Object.prototype)
  const memory = process.memoryUsage.rss()
  const played = await play(scene)
  const { events, requests } = played
  const ends = events.flatMap((event) => (event.type === "turn-end" ? [event.reason] : []))
  expect({
    ends: [...new Set(ends)],
    told: ends.includes("error") ? played.reports().slice(-1) : [],
  }).toEqual({
    ends: ["done"],
    told: [],
  })
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(keys)
  expect(process.memoryUsage.rss() - memory).toBeLessThan(LARGEST_GROWTH)
  for (const { body } of requests) {
    expect(JSON.stringify(body).length).toBeLessThan(LARGEST_REQUEST)
    expect(liveIn(body)).toEqual([])
  }
  for (const event of events) {
    if (event.type === "error") expect(event.message.length).toBeLessThan(LONGEST_NEWS)
    if (event.type === "progress") expect(event.line.length).toBeLessThan(LONGEST_NEWS)
  }
  const ids = events.flatMap((event) => (event.type === "tool-call" ? [event.id] : []))
  const outputs = new Map(
    events.flatMap((event) => (event.type === "tool-result" ? [[event.id, event.output]] : [])),
  )
  return { ...played, outputs: ids.map((id) => outputs.get(id)) }
}

/** Words of the attacker in which a forgery is still live: not what the guard makes of them. */
function liveIn(value: unknown): readonly string[] {
  if (typeof value === "string")
    return [...value.matchAll(/HOSTILE\(([\s\S]*?)\)HOSTILE/g)]
      .map(([, words = ""]) => words)
      .filter((words) => neutralise(restoreNeutralised(words)).text !== words)
  if (typeof value !== "object" || value === null) return []
  return [...Object.keys(value), ...Object.values(value)].flatMap(liveIn)
}

/** What the model is told with the authority of the system. */
export function systemTexts(requests: readonly { readonly body: unknown }[]): string {
  return requests
    .map(({ body }) => body as { readonly system?: unknown; readonly messages?: readonly { role: string }[] })
    .flatMap(({ system, messages = [] }) => [system, ...messages.filter(({ role }) => role === "system")])
    .map((text) => JSON.stringify(text) ?? "")
    .join("\n")
}

export function calls(...all: readonly { readonly name: string; readonly input: object }[]): ScriptStep {
  return { calls: all } as ScriptStep
}
