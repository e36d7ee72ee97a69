import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ScriptStep, startRehearsal } from "@sotto/rehearsal"
import { expect, onTestFinished, test } from "vitest"
import { OpenQuestions, openConversation, openProjectRuntime } from "../src/index.js"

/** A conversation as a program holds it that shows it to a person, with a model that plays these steps. */
async function conversationWith(steps: readonly ScriptStep[]) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "sotto-control-")))
  const cwd = join(root, "work")
  await mkdir(cwd)
  const rehearsal = await startRehearsal({ script: steps })
  const env = { SOTTO_HOME: join(root, "home"), ANTHROPIC_BASE_URL: rehearsal.url, ANTHROPIC_API_KEY: "none" }
  const workplace = await openProjectRuntime({ cwd, env, trust: true })
  const open = await openConversation({
    workplace,
    questions: new OpenQuestions(
      () => undefined,
      () => false,
    ),
    emit: () => undefined,
    yes: () => true,
    model: "anthropic/claude-sonnet-4-5",
  })
  onTestFinished(async () => {
    await open.close()
    await workplace.close()
    await rehearsal.close()
    await rm(root, { recursive: true, force: true })
  })
  /** What the last request told at its end. */
  const told = () => {
    const { messages = [] } = (rehearsal.requests.at(-1)?.body ?? {}) as { messages?: readonly unknown[] }
    return JSON.stringify(messages.at(-1))
  }
  return { ...open, cwd, told }
}

test("a person sees what works in the background, has the model told how far it is, and stops it", async () => {
  const command = "echo one; echo > ready; cat slow"
  const { conversation, tasks, cwd, told } = await conversationWith([
    { calls: [{ name: "bash", input: { command, background: true } }] },
    { text: "It runs." },
    { text: "I see." },
    { text: "Very well." },
  ])
  for (const name of ["ready", "slow"]) execFileSync("mkfifo", [join(cwd, name)])
  const states: string[] = []
  const deaf = tasks.onChange(({ id, state }) => states.push(`${id} ${state}`))
  conversation.say("Begin.")
  await conversation.wake()
  await readFile(join(cwd, "ready"))
  expect(tasks.list()).toMatchObject([
    { id: "bash-1", kind: "command", state: "running", description: command },
  ])

  expect(tasks.progress("bash-1")).toBe(true)
  conversation.say("How far is it?")
  await conversation.wake()
  expect(told()).toMatch(/The background command bash-1 .* is running\..*Do not start it again\..*one/)

  expect(await tasks.stop("bash-1")).toBe(true)
  conversation.say("I have stopped it.")
  await conversation.wake()
  expect(told()).toMatch(/The background command bash-1 .* was stopped by the user\./)
  expect(told()).not.toContain("\\none")
  expect(states).toEqual(["bash-1 running", "bash-1 stopped"])
  deaf()
  expect([await tasks.stop("bash-1"), tasks.progress("bash-9")]).toEqual([false, false])
})
