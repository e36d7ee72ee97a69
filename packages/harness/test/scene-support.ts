import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { onTestFinished } from "vitest"
import { type HarnessEvent, OpenQuestions, openConversation, openProjectRuntime } from "../src/index.js"
import { environment, rehearsalFor } from "./models-support.js"

export interface Scene {
  readonly steps: readonly ScriptStep[]
  /** What the user says. */
  readonly prompt?: string
  /** By path, from the folder that has the workspace `work` and the user's own `home` in it. */
  readonly files?: Readonly<Record<string, string>>
  /** The user's own sotto.json. */
  readonly config?: object
  readonly env?: Readonly<Record<string, string>>
  readonly agent?: string
  /** Whether what would be asked is allowed. */
  readonly yes?: boolean
}

/** Plays a conversation to its end in a folder of its own. Returns what came of it, and how to go on. */
export async function play(scene: Scene) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-scene-")))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put("work/a.txt", "one\n")
  put("home/sotto.json", JSON.stringify(scene.config ?? {}))
  for (const [path, text] of Object.entries(scene.files ?? {})) put(path, text)
  const rehearsal = await rehearsalFor({ script: { steps: [...scene.steps] } })
  const { PATH = "" } = process.env
  const events: HarnessEvent[] = []
  const workplace = await openProjectRuntime({
    cwd: join(root, "work"),
    env: {
      ...environment(rehearsal.url),
      PATH,
      HOME: join(root, "home"),
      SOTTO_HOME: join(root, "home"),
      ...scene.env,
    },
  })
  const questions = new OpenQuestions(
    () => {},
    () => false,
  )
  const opened = await openConversation({
    workplace,
    questions,
    emit: (event) => void events.push(event),
    yes: () => scene.yes ?? false,
    model: "anthropic/claude-opus-5-5",
    ...(scene.agent !== undefined && { agent: scene.agent }),
  })
  onTestFinished(async () => {
    await opened.close()
    await workplace.close()
    rmSync(root, { recursive: true, force: true })
  })
  const say = async (text: string) => {
    opened.conversation.say(text)
    await opened.settled(new AbortController().signal)
  }
  await say(scene.prompt ?? "Go on.")
  return {
    root,
    events: events as readonly HarnessEvent[],
    requests: rehearsal.requests,
    put,
    say,
    conversation: opened.conversation,
    /** What each call was answered, in order. */
    results: () => events.flatMap((event) => (event.type === "tool-result" ? [event.output] : [])),
    /** What the user was told. */
    reports: () => events.flatMap((event) => (event.type === "error" ? [event.message] : [])),
    /** Everything that went to the model. */
    sent: () => rehearsal.requests.map(({ body }) => JSON.stringify(body)).join("\n"),
  }
}

export function call(name: string, input: Readonly<Record<string, unknown>>): ScriptStep {
  return { calls: [{ name, input }] } as ScriptStep
}
