import { renameSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { OpenQuestions } from "../src/index.js"
import { opened } from "./conversation-support.js"

test("what somebody was asked about is what is used, wherever the path leads by then", async () => {
  const outputs: string[] = []
  const questions: OpenQuestions = new OpenQuestions(
    ({ id }) => {
      symlinkSync(join(root, "..", "other.txt"), join(root, "turned"))
      renameSync(join(root, "turned"), join(root, "link.txt"))
      setImmediate(() => questions.answer(id, "yes"))
    },
    () => true,
  )
  const { root, conversation, end } = await opened({
    steps: [{ calls: [{ name: "read", input: { path: "link.txt" } }] }, { text: "Done." }],
    questions,
    emit: (event) => {
      if (event.type === "tool-result") outputs.push(JSON.stringify(event.output))
    },
  })
  writeFileSync(join(root, "..", "asked.txt"), "what was asked about")
  writeFileSync(join(root, "..", "other.txt"), "something else")
  symlinkSync(join(root, "..", "asked.txt"), join(root, "link.txt"))
  conversation.say("Read it.")
  await end()
  expect(outputs).toEqual([expect.stringContaining("what was asked about")])
})
