import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import type { Rehearsal, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { type HarnessEvent, OpenQuestions, openConversation, openProjectRuntime } from "../../src/index.js"
import { environment, rehearsalFor } from "../models-support.js"
import { type HostileFolder, hostileFolder } from "./hostile-folder.js"
import { FOREIGN, type HostileRepository, REPOSITORIES, SECRET } from "./repositories.js"

const MODEL = "anthropic/claude-opus-5-5"
const COMMAND = fileURLToPath(new URL("../../../cli/bin/sotto.js", import.meta.url))
const BUILT = fileURLToPath(new URL("../../../cli/dist/main.js", import.meta.url))

/** The model reads a file, tries a command that nobody has allowed, and ends. */
function steps({ tries = "" }: HostileRepository): readonly ScriptStep[] {
  return [
    { text: "Looking.", calls: [{ name: "read", input: { path: "src/a.ts" } }] },
    { calls: [{ name: "bash", input: { command: tries } }] },
    { text: "Done." },
  ]
}

/** What the model was sent, all of it. */
function sent({ requests }: Rehearsal): string {
  return requests.map(({ body }) => (typeof body === "string" ? body : JSON.stringify(body))).join("\n")
}

function expectNoHarm(folder: HostileFolder, rehearsal: Rehearsal): void {
  expect(folder.effects()).toEqual([])
  expect(rehearsal.requests.length).toBeGreaterThanOrEqual(3)
  expect(sent(rehearsal)).not.toContain(SECRET)
  expect(sent(rehearsal)).not.toContain(FOREIGN)
}

describe("hostile repositories", () => {
  it("are at least forty, and different ones", () => {
    expect(REPOSITORIES.length).toBeGreaterThanOrEqual(40)
    expect(new Set(REPOSITORIES.map(({ name }) => name)).size).toBe(REPOSITORIES.length)
  })

  for (const repository of REPOSITORIES)
    it(`get nowhere with ${repository.name}`, async () => {
      const { folder, rehearsal, trusted } = await visited(repository, false)
      expect(trusted).toBe(false)
      expectNoHarm(folder, rehearsal)
    })

  // What is never seen to happen proves nothing about a canary that cannot sing.
  for (const name of [
    "a hook on stop",
    "a language server",
    "everything allowed",
    "a prompt for the build agent",
  ])
    it(`would get somewhere with ${name} in a trusted folder`, async () => {
      const repository = REPOSITORIES.find((one) => one.name === name)
      if (repository === undefined) throw new Error(`there is no "${name}"`)
      const { folder, rehearsal } = await visited(repository, true)
      expect(() => expectNoHarm(folder, rehearsal)).toThrow()
    })
})

/** Opens the repository and has one turn in it. */
async function visited(repository: HostileRepository, trust: boolean) {
  const folder = await hostileFolder(repository)
  const rehearsal = await rehearsalFor({ script: { steps: steps(repository) } })
  const events: HarnessEvent[] = []
  const env = { ...environment(rehearsal.url), ...folder.env }
  const workplace = await openProjectRuntime({ cwd: folder.cwd, env, trust })
  const questions = new OpenQuestions(
    () => undefined,
    () => false,
  )
  const { conversation, settled, close } = await openConversation({
    workplace,
    questions,
    emit: (event) => events.push(event),
    yes: () => false,
    model: MODEL,
  })
  conversation.say("Look at the source files.")
  await settled(new AbortController().signal)
  await close()
  await workplace.close()
  expect(events.filter(({ type }) => type === "turn-end")).toMatchObject([{ reason: "done" }])
  return { folder, rehearsal, trusted: workplace.trust.trusted }
}

describe("hostile repositories, opened by the real command", () => {
  for (const repository of REPOSITORIES.filter(({ real }) => real))
    it(`get nowhere with ${repository.name}`, async () => {
      if (!existsSync(BUILT)) throw new Error("packages/cli/dist is missing: build first (npm run build)")
      const folder = await hostileFolder(repository)
      const rehearsal = await rehearsalFor({ script: { steps: steps(repository) } })
      const env = { ...environment(rehearsal.url), ...folder.env }
      const run = async (...args: readonly string[]) => {
        const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder.cwd, env, stdio: "pipe" })
        child.stdin.end()
        const [out, err] = await Promise.all([
          readAll(child.stdout),
          readAll(child.stderr),
          once(child, "close"),
        ])
        return { out, err, code: child.exitCode }
      }
      const asked = ["Look at the source files.", "--model", MODEL, "--output", "jsonl"]
      const ended = await run("run", ...asked)
      expect(ended.code).toBe(0)
      expect(ended.out).toContain('"type":"turn-end","reason":"done"')
      expectNoHarm(folder, rehearsal)
      await run("doctor")
      expect(folder.effects()).toEqual([])
    })
})
