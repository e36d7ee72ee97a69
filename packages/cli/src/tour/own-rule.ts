import { readFileSync } from "node:fs"
import { basename } from "node:path"
import type { Rule } from "@sotto/core"
import { dynamic } from "@sotto/harness"
import { looks } from "./scenes/work.js"
import { says, type TourScene, WAITS } from "./stage.js"

/** More steps or turns than this would be a long scene. */
const MOST = 30

/**
 * Makes a scene for a rule that the user or the project wrote as Markdown. The scene has a copy of the file.
 * The scene does what the file waits for: it sends the signals with the fields that `when` asks for, or lets steps and
 * turns pass.
 */
export function ownScene(rule: Rule): TourScene {
  const path = rule.source ?? ""
  const markdown = readFileSync(path, "utf8")
  const fields = wantedFields(markdown)
  const { signals = [], throttle = {}, agents = [] } = rule
  const steps = Math.min(throttle.steps ?? 0, MOST)
  const turns = Math.min(throttle.turns ?? 0, MOST)
  const agent = agents[0] ?? fields.get("agent")
  const what =
    signals.length > 0
      ? `it hears the signal ${signals.join(" or ")}`
      : `${throttle.steps ?? throttle.turns} ${throttle.steps ? "steps" : "turns"} have passed`
  return {
    kind: rule.kind,
    when: `${what}: that is what ${path} says`,
    story: "A workspace of its own has a copy of that file.",
    ...(signals.length > 0 && {
      door: "The scene sends the signal itself, with the fields that `when` names.",
    }),
    ...(agent !== undefined && { agent }),
    // A folder's reminders never travel with system authority, and the user's own may.
    files: { [`${rule.trust === "user" ? "../home" : ".sotto"}/reminders/${basename(path)}`]: markdown },
    answers: [WAITS, ...looks(steps), ...Array.from({ length: turns + 2 }, () => says("Done."))],
    play: async (stage) => {
      const { session } = stage
      const own = [...fields].filter(([name]) => !["agent", "step", "turn"].includes(name))
      if (signals.length === 0) for (const [name, value] of own) session.observe(dynamic(name), value)
      stage.whileItRuns(() => {
        for (const type of signals) session.note(dynamic({ type, ...Object.fromEntries(own) }))
      })
      for (let turn = 0; turn <= turns; turn++) await stage.ask("Go on.")
    },
  }
}

/** Reads what `when` asks of each name. A star in a pattern may stand for anything. */
function wantedFields(markdown: string): ReadonlyMap<string, string> {
  const front = /^---\n([\s\S]*?)\n---/.exec(markdown)?.[1] ?? ""
  const when = /^when:([\s\S]*?)(?=^\w+:|$(?![\s\S]))/m.exec(front)?.[1] ?? ""
  return new Map(
    [...when.matchAll(/([\w.:/-]+)\s*(?:(!?=)\s*([^,\]\n]+))?/g)].flatMap(
      ([, name = "", operator, pattern = "true"]): [string, string][] =>
        operator === "!=" || /^-+$/.test(name) ? [] : [[name, pattern.trim().replaceAll("*", "x")]],
    ),
  )
}
