import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate as setImmediateDone } from "node:timers/promises"
import { OpenQuestions, openConversation, openProjectRuntime } from "@sotto/harness"
import type { ScriptStep } from "@sotto/rehearsal"
import fc from "fast-check"
import { expect, it } from "vitest"
import { heard, waitingIn } from "../../src/tui/state/conversation-events.js"
import { emptyScreen } from "../../src/tui/state/reduce.js"
import { restoredScreen } from "../../src/tui/state/restore.js"
import type { Screen, ScreenItem } from "../../src/tui/state/screen.js"
import { benchWith, reaching, serverWith } from "../support/sotto.js"

const MODEL = "anthropic/claude-sonnet-4-5"

const words = fc.constantFrom("One.", "Two.\n\nThree.", "# Head\n\n- a\n- b\n\nEnd.", "```\ncode\n```")
const call = fc.oneof(
  fc.constant({ name: "glob", input: { pattern: "*" } }),
  fc.constant({ name: "read", input: { path: "missing.txt" } }),
  fc.constant({ name: "bash", input: { command: "echo hello" } }),
  // Some providers give every call the same id.
  fc.constant({ name: "read", input: { path: "notes.txt" }, id: "same" }),
  fc.constant({ name: "todo_write", input: { todos: [{ content: "Item", status: "pending" }] } }),
)
const working: fc.Arbitrary<ScriptStep> = fc.record({
  text: fc.option(words, { nil: "" }),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
})
const turn = fc.record({
  prompt: fc.constantFrom("Begin.", "Go on.\nPlease."),
  steps: fc.array(working, { maxLength: 3 }),
  answer: words,
  /** Said while the turn runs. */
  steer: fc.boolean(),
  agent: fc.option(fc.constantFrom("plan", "build"), { nil: undefined }),
})

/** What both ways must agree on: not the times, and not where a text that streams was cut into blocks. */
function essence({ items, todos, agent, model, tally, turn }: Screen): unknown {
  const joined: unknown[] = []
  let text: string | undefined
  const flush = () => {
    if (text !== undefined) joined.push(text.trim())
    text = undefined
  }
  for (const item of items) {
    if (item.is === "text") text = (text ?? "") + item.text
    else {
      flush()
      joined.push(timeless(item))
    }
  }
  flush()
  return { joined, todos, agent, model, context: tally.context, isWorking: turn !== undefined }
}

function timeless(item: ScreenItem): unknown {
  if (item.is === "call") return { ...item, call: { ...item.call, seconds: 0 } }
  return item.is === "turn" || item.is === "reasoning" ? { ...item, seconds: 0 } : item
}

it("a session that is opened again looks as it looked while it went on", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 3 }), async (turns) => {
      const steps = turns.flatMap((one): ScriptStep[] => [
        ...one.steps,
        { text: one.answer, reasoning: "Hm." },
      ])
      const server = await serverWith({ counting: "requests", steps: [...steps, { text: "And that." }] })
      const { home, cwd } = benchWith({ "notes.txt": "words\n" })
      mkdirSync(home, { recursive: true })
      writeFileSync(join(home, "sotto.json"), '{"titles": false, "permission": {"*": "allow"}}')
      const env = { ...reaching(server.url), SOTTO_HOME: home, HOME: home, PATH: process.env.PATH ?? "" }
      const workplace = await openProjectRuntime({ cwd, env, trust: true })
      const questions = new OpenQuestions(
        () => undefined,
        () => false,
      )
      let screen = emptyScreen("s", "build", MODEL)
      const { conversation, close } = await openConversation({
        workplace,
        questions,
        model: MODEL,
        yes: () => true,
        emit: (event) => {
          const { session } = conversation
          const source = {
            session,
            waiting: () => waitingIn(session),
            model: () => ({ model: session.model, window: session.context.window }),
          }
          screen = heard(screen, event, source, 0)
          if (event.type === "tool-call" && steering) {
            steering = false
            // As a person does: not in the middle of what is being told.
            setImmediate(() => conversation.say("Mind this."))
          }
        },
      })
      let steering = false
      for (const { prompt, steer, agent } of turns) {
        if (agent !== undefined) conversation.switchAgent(agent)
        steering = steer
        conversation.say(prompt)
        await conversation.wake()
        await setImmediateDone()
        await conversation.wake()
      }
      const restored = restoredScreen(conversation.session)
      expect(essence(restored)).toEqual(essence(screen))
      await close()
      await workplace.close()
    }),
    { seed: 7, numRuns: 12 },
  )
}, 120_000)
