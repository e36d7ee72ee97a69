import type { Around } from "./command.js"

/** One of the messages that opened a turn. */
export async function choosePrompt(
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
