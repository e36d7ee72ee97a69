import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startRehearsal } from "@sotto/rehearsal"
import { expect, onTestFinished, test } from "vitest"
import { openConversation } from "../src/session/open/open.js"
import { openProjectRuntime } from "../src/session/open/project-runtime.js"
import type { HarnessEvent } from "../src/tools/events/events.js"
import { OpenQuestions } from "../src/tools/events/questions.js"

/** A conversation in this process, with the titles' model and the conversation's own behind one stand-in. */
async function opened(script: Parameters<typeof startRehearsal>[0]) {
  const home = mkdtempSync(join(tmpdir(), "sotto-titles-"))
  const rehearsal = await startRehearsal(script)
  const env = {
    SOTTO_HOME: home,
    HOME: home,
    ANTHROPIC_BASE_URL: rehearsal.url,
    ANTHROPIC_API_KEY: "no-real-key",
  }
  const workplace = await openProjectRuntime({ cwd: home, env, trust: true })
  const events: HarnessEvent[] = []
  const { conversation, close } = await openConversation({
    workplace,
    questions: new OpenQuestions(
      () => undefined,
      () => false,
    ),
    emit: (event) => events.push(event),
    yes: () => true,
    titles: true,
    model: "anthropic/claude-sonnet-4-5",
  })
  onTestFinished(async () => {
    await close()
    await workplace.close()
    await rehearsal.close()
    rmSync(home, { recursive: true, force: true })
  })
  const about = async () => workplace.store().about(conversation.session.id)
  return { conversation, events, about, rehearsal }
}

test("a session gets a title and a summary after its first turn, beside the conversation", async () => {
  const { conversation, about, rehearsal } = await opened({
    script: {
      scripts: [
        { when: "/^Fix the parser/", steps: [{ text: "Fixed." }, { text: "And more." }] },
        { when: "[the user]", steps: [{ text: "The parser was fixed." }] },
      ],
      steps: [],
    },
  })
  conversation.say("Fix the parser, please")
  await conversation.wake()
  await expect.poll(async () => (await about()).summary).toBe("The parser was fixed.")
  expect((await about()).title).toBe("Fixed.")
  conversation.say("And the lexer")
  await conversation.wake()
  const bodies = rehearsal.requests.map(({ body }) => JSON.stringify(body))
  expect(bodies.filter((body) => body.includes("You name a conversation"))).toHaveLength(1)
  expect(JSON.stringify(conversation.session.view())).not.toContain("The parser was fixed.")
})

test("a title that cannot be had is nobody's trouble", async () => {
  const failing = { fail: Array.from({ length: 20 }, () => ({ status: 400 as const })) }
  const { conversation, about, events } = await opened({
    script: { counting: "requests", steps: [{ text: "Answer." }, { text: "x", ...failing }] },
  })
  conversation.say("Hello")
  await conversation.wake()
  await expect.poll(() => events.some(({ type }) => type === "turn-end")).toBe(true)
  expect(events.filter(({ type }) => type === "error")).toEqual([])
  expect((await about()).title).toBeUndefined()
})
