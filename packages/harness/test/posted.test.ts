import { expect, test } from "vitest"
import { openStore } from "../src/index.js"
import { opened } from "./conversation-support.js"

test("a command that waits when the loop begins is carried out by one loop", async () => {
  let ran = 0
  const { rehearsal, workplace, conversation, end } = await opened({
    steps: [{ calls: [{ name: "bash", input: { command: "echo x >> ran.txt" } }] }, { text: "Done." }],
    auto: true,
    emit: (event) => {
      if (event.type === "tool-call") ran++
    },
  })
  const other = await openStore(workplace.store().path)
  await other.post(conversation.session.id, {
    id: "say p1",
    command: { type: "say", text: "Begin.", id: "p1" },
  })
  await other.close()
  // Before whoever listens for posted commands has begun to.
  await conversation.wake()
  await end()
  expect(ran).toBe(1)
  expect(rehearsal.requests).toHaveLength(2)
})
