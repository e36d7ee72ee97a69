import { isRehearsal } from "@sotto/harness"
import type { SlashCommand } from "../context.js"

export const tour: SlashCommand = {
  name: "tour",
  help: "a message in mid-turn, a change to allow, a plan: played by the rehearsal",
  run: async ({ talk, ui, startTour, hint, say }) => {
    const { model } = talk().model()
    if (!isRehearsal(model))
      say(
        `The tour needs the rehearsal, and this session talks to ${model}. Run \`sotto tour\` in a shell instead: it costs nothing.`,
      )
    else if (ui().tour) hint("The tour is on already. Esc leaves it.")
    else if (ui().screen.turn) hint("The tour begins when nothing else goes on: Esc interrupts this turn.")
    else await startTour()
  },
}
