import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { dynamic, type Rule } from "@sotto/core"
import { FILE_SCENES } from "./scenes/files.js"
import { SESSION_SCENES } from "./scenes/session.js"
import { looks, WORK_SCENES } from "./scenes/work.js"
import { call, says, type TourScene, WAITS } from "./stage.js"

/** A scene for every kind that `sotto` has. */
export const SCENES: readonly TourScene[] = [...FILE_SCENES, ...WORK_SCENES, ...SESSION_SCENES]

/** Takes the scene of a kind, and has it played otherwise. */
function other(kind: string, changes: Partial<TourScene>): readonly TourScene[] {
  return SCENES.filter((scene) => scene.kind === kind).map(({ door: _, ...scene }) => ({
    ...scene,
    ...changes,
  }))
}

/** What `sotto tour` plays without a kind. */
export const SHORT_TOUR: readonly TourScene[] = [
  ...other("queued_command", {
    story: "A message in the middle of a turn: while a command of the model runs, the user says something.",
    answers: [WAITS, says("There is no licence yet.")],
    play: (stage) => {
      stage.whileItRuns(() => stage.conversation.say("And is there a licence?"))
      return stage.ask("Run the tests.")
    },
  }),
  ...other("edited_text_file", {}),
  ...other("build_switch", {
    story:
      "A plan that is approved and carried out: in plan mode the model writes a plan, the user approves it, and the model does what it says.",
    door: "The scene approves the plan for you.",
    answers: [
      call("write", { path: ".sotto/plans/notes.md", content: "# Plan\n\n1. Write notes.md.\n" }),
      call("plan_exit"),
      call("write", { path: "notes.md", content: "# Notes\n" }),
      says("The plan is carried out: notes.md is written."),
    ],
    play: (stage) => stage.ask("Plan the notes."),
  }),
]

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
