import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startRehearsal } from "@sotto/rehearsal"
import { expect, it, onTestFinished } from "vitest"
import { openConversation } from "../src/session/open/open.js"
import { openProjectRuntime } from "../src/session/open/project-runtime.js"
import type { HarnessEvent } from "../src/tools/events/events.js"
import { OpenQuestions } from "../src/tools/events/questions.js"

it("goes on after a compaction where the provider refuses a prompt over its window", async () => {
  const home = mkdtempSync(join(tmpdir(), "sotto-window-"))
  const rehearsal = await startRehearsal({
    script: { counting: "requests", steps: Array.from({ length: 8 }, (_, i) => ({ text: `Answer ${i}.` })) },
  })
  const workplace = await openProjectRuntime({
    cwd: home,
    env: {
      SOTTO_HOME: home,
      HOME: home,
      ANTHROPIC_BASE_URL: rehearsal.url,
      ANTHROPIC_API_KEY: "no-real-key",
    },
    trust: true,
  })
  const events: HarnessEvent[] = []
  const { conversation, close } = await openConversation({
    workplace,
    questions: new OpenQuestions(
      () => undefined,
      () => false,
    ),
    emit: (event) => events.push(event),
    yes: () => true,
    model: "anthropic/claude-sonnet-4-5",
  })
  onTestFinished(async () => {
    await close()
    await workplace.close()
    await rehearsal.close()
    rmSync(home, { recursive: true, force: true })
  })
  for (const words of ["one ", "two "]) {
    conversation.say(words.repeat(110_000))
    await conversation.wake()
  }
  const refused = rehearsal.requests.filter(({ status }) => status === 400)
  expect(refused.map(({ error }) => error?.message)).toEqual([
    expect.stringMatching(/^prompt is too long: \d+ tokens > 200000 maximum$/),
  ])
  expect(events).toContainEqual({ type: "rebase", reason: "compaction" })
  expect(events.filter(({ type }) => type === "turn-end")).toMatchObject([
    { reason: "done" },
    { reason: "done" },
  ])
})
