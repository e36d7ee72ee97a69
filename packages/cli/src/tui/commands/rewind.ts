import { choosePrompt } from "./choose.js"
import type { SlashCommand } from "./command.js"

export const rewind: SlashCommand = {
  name: "rewind",
  help: "back to before one of your messages, files too if you want; Esc Esc does the same",
  run: async (around) => {
    const prompt = await choosePrompt(around, "Back to before")
    if (prompt === undefined) return
    const how = await around.pick("Go back", [
      { value: "words", label: "in the conversation", detail: "files stay as they are" },
      {
        value: "files",
        label: "in the conversation and in the files",
        detail: "what the agent wrote since is undone",
      },
    ])
    if (how === undefined) return
    const { restored, conflicts } = await around
      .talk()
      .conversation.rewind(prompt.id, { files: how === "files" })
    for (const { path } of restored) around.say(`${path} is as it was`)
    for (const { path, why } of conflicts) around.say(`${path} was left: ${why}`, "error")
    around.write(prompt.text)
  },
}
