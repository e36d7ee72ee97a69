import { FILE_SCENES } from "./scenes/files.js"
import { SESSION_SCENES } from "./scenes/session.js"
import { WORK_SCENES } from "./scenes/work.js"
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
