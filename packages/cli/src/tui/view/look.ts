import type { Agent } from "@sotto/core"
import type { Highlight } from "../markdown/render.js"
import type { Shows } from "../state/ui.js"
import type { Colour } from "../text/line.js"

/** What everything that is drawn depends on. */
export interface Look {
  readonly width: number
  readonly shows?: Shows
  readonly highlight?: Highlight
  /** The address of a file that was touched, for terminals that open it. */
  readonly link?: (path: string) => string | undefined
}

const COLOURS: readonly Colour[] = ["cyan", "magenta", "green", "blue", "yellow"]

/** Returns an agent's own colour, or one by its place among the agents. */
export function colourOf(name: string, agents: readonly Agent[]): Colour {
  const place = agents.findIndex((agent) => agent.name === name)
  return agents[place]?.color ?? COLOURS[Math.max(0, place) % COLOURS.length] ?? "cyan"
}

/** Writes 8 s, 1 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole} s`
  const [minutes, hours] = [Math.floor(whole / 60), Math.floor(whole / 3600)]
  if (hours > 0) return `${hours} h ${minutes % 60} min`
  return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`
}
