import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { expect, onTestFinished } from "vitest"
import {
  type HarnessEvent,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  type ProjectRuntime,
} from "../src/index.js"
import { environment, rehearsalFor } from "./models-support.js"

interface Opening {
  readonly steps: readonly ScriptStep[]
  /** For other conversations, such as a subagent's, by what they begin with. */
  readonly scripts?: readonly { readonly when: string; readonly steps: readonly ScriptStep[] }[]
  readonly emit: (event: HarnessEvent) => void
  readonly questions?: OpenQuestions
  readonly session?: string
  readonly model?: string
  /** Whether the disk will fail, or in which words. */
  readonly isBroken?: boolean | string
  /** Files of the workspace beside the usual ones. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether what would be asked is allowed. */
  readonly auto?: boolean
  /** Before the conversation is opened. */
  readonly prepare?: (workplace: ProjectRuntime) => void
}

const nobody = new OpenQuestions(
  () => {},
  () => false,
)

/** A conversation in a folder of its own with a file in it and a pipe, in another folder of its own. */
export async function opened({
  steps,
  scripts,
  emit,
  questions = nobody,
  session,
  model = "anthropic/claude-opus-5-5",
  isBroken = false,
  files = {},
  auto = false,
  prepare,
}: Opening) {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "sotto-conversation-")))
  const root = join(outside, "work")
  mkdirSync(root)
  writeFileSync(join(root, "a.txt"), "one\n")
  execFileSync("mkfifo", [join(root, "pipe")])
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  const rehearsal = await rehearsalFor({ script: { steps, ...(scripts && { scripts }) } })
  const { PATH } = process.env
  const workplace = await openProjectRuntime({
    cwd: root,
    trust: true,
    env: { ...environment(rehearsal.url), PATH, HOME: root, SOTTO_HOME: join(root, "home") },
  })
  prepare?.(workplace)
  const { conversation, settled, close } = await openConversation({
    workplace,
    questions,
    emit,
    yes: () => auto,
    ...(session === undefined ? { model } : { session }),
  })
  onTestFinished(async () => {
    // What could not be written is said once more.
    const words = isBroken === true ? "EIO" : isBroken
    if (words) await expect(close()).rejects.toThrow(words)
    else await close()
    await workplace.close()
    rmSync(outside, { recursive: true })
  })
  const end = () => settled(new AbortController().signal)
  return { root, rehearsal, workplace, conversation, end }
}
