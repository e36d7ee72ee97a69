import { forkSession } from "@sotto/harness"
import { choosePrompt } from "./choose.js"
import type { SlashCommand } from "./command.js"

export const fork: SlashCommand = {
  name: "fork",
  help: "a new session that begins as this one was before one of your messages",
  run: async (around) => {
    const prompt = await choosePrompt(around, "Fork before")
    if (prompt === undefined) return
    const id = forkSession(around.workplace.store(), around.talk().session.id, prompt.id)
    await around.openSession(id)
    around.write(prompt.text)
  },
}
