import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Session } from "@sotto/core"
import {
  type Conversation,
  type HarnessEvent,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  type ProjectRuntime,
  serveRehearsal,
  type TaskControl,
} from "@sotto/harness"
import type { Rehearsal, Script, ScriptStep } from "@sotto/rehearsal"

/** A scene of the tour: it has the real harness tell the model one kind of reminder. */
export interface TourScene {
  /** The kind that it shows. */
  readonly kind: string
  /** Completes "It speaks when", in the words of docs/reference/reminders.md. */
  readonly when: string
  /** What happens in the scene. */
  readonly story: string
  /** How the scene provokes the reminder, where that differs from daily use. */
  readonly door?: string
  /** Says what its settings change, where that is something else than for other kinds. */
  readonly settingsNote?: string
  /** Files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** The user's own `sotto.json`. */
  readonly config?: object
  readonly agent?: string
  readonly maxSteps?: number
  /** What the stand-in answers, request by request. */
  readonly answers: readonly ScriptStep[]
  /** What it answers in other conversations, such as a subagent's. Each is told from how it begins. */
  readonly others?: Script["scripts"]
  play(stage: Stage): Promise<void>
}

export const call = (
  name: string,
  input: NonNullable<ScriptStep["calls"]>[number]["input"] = {},
): ScriptStep => ({
  calls: [{ name, input }],
})
export const says = (text: string): ScriptStep => ({ text })

/** A command that runs until the scene lets it end: what happens meanwhile happens in the middle of a turn. */
export const WAITS = call("bash", { command: "sh tests.sh" })
const TESTS = "until test -e go; do sleep 0.02; done\necho all passed\n"

const MINUTE = 60 * 1000
/** Milliseconds. */
const LONGEST_WAIT = 5_000
const LOOK = 10

/** A workspace of its own with a session in it, for one scene. The model is the rehearsal, over loopback HTTP. */
export class Stage {
  readonly #root: string
  readonly #scene: TourScene
  readonly #model: string
  readonly #rehearsal: Rehearsal
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #questions: OpenQuestions
  #meanwhile: (() => void) | undefined
  /** What the clock of the scene shows in milliseconds, less what the real one does. */
  #ahead = 0
  #workplace: ProjectRuntime | undefined
  #opened: Awaited<ReturnType<typeof openConversation>> | undefined

  private constructor(root: string, scene: TourScene, model: string, rehearsal: Rehearsal) {
    this.#root = root
    this.#scene = scene
    this.#model = model
    this.#rehearsal = rehearsal
    const { PATH, SystemRoot } = process.env
    const { url } = rehearsal
    const home = join(root, "home")
    // Nothing of the user's own: neither keys and settings nor their sessions.
    this.#env = {
      ...{ PATH, SystemRoot, HOME: home, SOTTO_HOME: home },
      ...{ ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url },
      ...{ ANTHROPIC_API_KEY: "rehearsal", OPENAI_API_KEY: "rehearsal", GEMINI_API_KEY: "rehearsal" },
    }
    // The one question that a scene asks is whether a plan is approved.
    this.#questions = new OpenQuestions(
      ({ id }) => void setImmediate(() => this.#questions.answer(id, "approve")),
      () => true,
    )
  }

  static async open(scene: TourScene, model: string): Promise<Stage> {
    const script: Script = {
      counting: scene.others === undefined ? "requests" : "answers",
      steps: scene.answers,
      ...(scene.others && { scripts: scene.others }),
    }
    const rehearsal = await serveRehearsal({ script: { text: JSON.stringify(script), file: "the tour" } })
    const stage = new Stage(realpathSync(mkdtempSync(join(tmpdir(), "sotto-tour-"))), scene, model, rehearsal)
    try {
      stage.put("tests.sh", TESTS)
      for (const [path, text] of Object.entries(scene.files ?? {})) stage.put(path, text)
      stage.put("../home/sotto.json", JSON.stringify({ collectTimeout: 20_000, ...scene.config }))
      await stage.#openSession()
      return stage
    } catch (error) {
      await stage.close()
      throw error
    }
  }

  get conversation(): Conversation {
    return this.#live.conversation
  }

  get session(): Session {
    return this.conversation.session
  }

  get tasks(): TaskControl {
    return this.#live.tasks
  }

  /** The bodies of all requests that the stand-in received, oldest first. */
  get requests(): readonly unknown[] {
    return this.#rehearsal.requests.map(({ body }) => body)
  }

  path(name: string): string {
    return join(this.#root, "project", name)
  }

  /** Writes a file as another program would: behind the model's back. */
  put(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** Says something as the user, and waits until the turn is over. */
  async ask(text: string, system?: string): Promise<void> {
    this.conversation.say(text, system === undefined ? {} : { system })
    await this.conversation.wake()
  }

  /** Does something while the model's command `WAITS` runs, and then lets the command end. */
  whileItRuns(act: () => void): void {
    this.#meanwhile = act
  }

  /** Waits until the MCP servers of the scene offer `count` tools: a server says when it likes that they changed. */
  async mcpTools(count: number): Promise<void> {
    const offered = () => this.#workplace?.mcp.statuses().flatMap(({ tools }) => tools) ?? []
    const end = performance.now() + LONGEST_WAIT
    while (offered().length < count && performance.now() < end) await setTimeout(LOOK)
  }

  /** Moves the clock of the session forward. */
  later(minutes: number): void {
    this.#ahead += minutes * MINUTE
  }

  /** Moves it to the last minute of the day. */
  beforeMidnight(): void {
    const [now, midnight] = [new Date(), new Date()]
    midnight.setHours(24, 0, 0, 0)
    this.#ahead = midnight.getTime() - MINUTE - now.getTime()
  }

  /** Closes the session and opens it again, as `sotto --continue` does. */
  async reopen(): Promise<void> {
    const { id } = this.session
    await this.#closeSession()
    await this.#openSession(id)
  }

  /** Ends everything that the scene has started, and removes its folder. */
  async close(): Promise<void> {
    try {
      await this.#closeSession()
      await this.#rehearsal.close()
    } finally {
      rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 })
    }
  }

  get #live() {
    if (this.#opened === undefined) throw new Error("The scene has no session.")
    return this.#opened
  }

  async #openSession(session?: string): Promise<void> {
    const { agent, maxSteps } = this.#scene
    this.#workplace = await openProjectRuntime({
      cwd: this.path("."),
      env: this.#env,
      trust: true,
      now: () => Date.now() + this.#ahead,
      ...(maxSteps !== undefined && { maxSteps }),
    })
    this.#opened = await openConversation({
      workplace: this.#workplace,
      questions: this.#questions,
      emit: (event) => this.#heard(event),
      yes: () => true,
      ...(session === undefined ? { model: this.#model } : { session }),
      ...(agent !== undefined && session === undefined && { agent }),
    })
  }

  #heard(event: HarnessEvent): void {
    if (event.type !== "tool-call" || event.name !== "bash") return
    this.#meanwhile?.()
    this.#meanwhile = undefined
    this.put("go", "")
  }

  async #closeSession(): Promise<void> {
    const [opened, workplace] = [this.#opened, this.#workplace]
    this.#opened = undefined
    this.#workplace = undefined
    await opened?.close()
    await workplace?.close()
  }
}
