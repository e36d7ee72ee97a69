import type { BackgroundCall, FinishedCall } from "./screen.js"

/** What a call left running, by the id under which its end will be told. */
export function startedInBackground(
  { name, input, output }: FinishedCall,
  now: number,
): BackgroundCall | undefined {
  const { background, command, agent, prompt } = (input ?? {}) as Readonly<Record<string, unknown>>
  if (background !== true || (name !== "bash" && name !== "task")) return undefined
  const id = /in the background as (\S+?)\.?(\s|$)/.exec(output)?.[1]
  if (id === undefined) return undefined
  const what = name === "bash" ? String(command) : `${String(agent)}: ${String(prompt)}`
  return { id, what, startedAt: now }
}
