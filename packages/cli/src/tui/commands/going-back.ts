import { forkSession } from "@sotto/harness"
import type { Around, Command } from "./command.js"

export const rewind: Command = {
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

export const fork: Command = {
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

async function choosePrompt(
  { talk, pick, say }: Around,
  title: string,
): Promise<{ readonly id: string; readonly text: string } | undefined> {
  const prompts = talk().prompts()
  if (prompts.length === 0) {
    say("There is nothing to go back to yet.")
    return undefined
  }
  const items = prompts.map(({ id, text }) => ({ value: id, label: text.split("\n")[0] ?? "" }))
  const chosen = await pick(title, items)
  return prompts.find(({ id }) => id === chosen)
}
