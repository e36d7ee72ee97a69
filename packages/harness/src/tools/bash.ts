import { rm } from "node:fs/promises"
import {
  type CommandEnd,
  endGroup,
  groupLives,
  groupStays,
  type ProcessGuard,
  startCommand,
} from "../execution/programs/command.js"
import { printedIn } from "../execution/programs/command-output.js"
import {
  type ChildEnvironment,
  childEnvironment,
  plainEnvironment,
} from "../execution/programs/environment.js"
import { findBash } from "../execution/programs/find-program.js"
import type { Launch } from "../execution/programs/launch.js"
import { tellNewLines } from "../execution/programs/live-output.js"
import { allowedCommand } from "../execution/programs/supervise.js"
import { ToolError } from "../platform/text/errors.js"
import { BASH } from "./definitions.js"
import { startInBackground } from "./tasks/commands.js"
import { fileFor } from "./tasks/output.js"
import { shortened } from "./tasks/task.js"
import type { Tasks } from "./tasks/tasks.js"
import type { Output, Tool, ToolContext } from "./tool.js"

/** What a command prints that a sandbox keeps from writing or from the network. */
const BY_SANDBOX =
  /Read-only file system|EROFS|ENETUNREACH|EAI_AGAIN|ENOTCACHED|Network is unreachable|name resolution|Could not resolve host/
/** What a program prints that may not become root. */
const BY_NAMESPACE = /no new privileges|effective uid is not 0|must be setuid root/i

/** Tells the model that the way a command ran is why it failed, as far as its words say so. */
function hinderedBy(
  { content }: Output,
  confined: { readonly mayLeave: boolean } | undefined,
): string | undefined {
  const text = textOf(content)
  if (confined !== undefined && BY_SANDBOX.test(text)) {
    const way = confined.mayLeave
      ? " If it needs more, call again with unconfined: true: the user is asked."
      : ""
    return `It ran in a sandbox, which limits what it can write and reach.${way}`
  }
  if (BY_NAMESPACE.test(text))
    return 'Programs that Sotto starts cannot gain privileges. Tell the user to run this themselves, or to put "processes": "shared" into their own sotto.json.'
  return undefined
}

/** Tells the model that a command lacked variables that Sotto withheld, as far as its words say so. */
function lackedBy(
  command: string,
  { content }: Output,
  withheld: readonly string[] = [],
): string | undefined {
  const text = `${command}\n${textOf(content)}`
  const words = new Set(command.toLowerCase().match(/[a-z][a-z0-9]*/g))
  const wanted = withheld.filter((name) => {
    const [first = ""] = name.toLowerCase().split("_")
    return text.includes(name) || words.has(first) || (first === "github" && words.has("gh"))
  })
  if (wanted.length === 0) return undefined
  const list = JSON.stringify(wanted)
  return `Sotto withheld ${wanted.join(", ")} from this command, because it looks like a secret. If it is needed, tell the user to put "env": {"pass": ${list}} into their own sotto.json.`
}

/** Puts notes below what a command printed. */
function withNotes(output: Output, notes: readonly (string | undefined)[]): Output {
  const told = notes.filter((note) => note !== undefined).map((note) => `[${note}]`)
  if (told.length === 0 || typeof output.content !== "string") return output
  return { ...output, content: [output.content, ...told].join("\n") }
}

function textOf(content: Output["content"]): string {
  return typeof content === "string" ? content : ""
}

type BashInput = {
  readonly command: string
  /** Seconds. */
  readonly timeout?: number
  readonly background?: boolean
  /** It failed in the sandbox, and may leave it if the user says so. */
  readonly unconfined?: boolean
}

export interface BashOptions {
  readonly tasks: Tasks
  /** Plain bash with what this process inherited, unless given. */
  readonly shell?: Shell
}

/** How commands run. */
export interface Shell {
  readonly env: ChildEnvironment
  /** Names of variables that look like secrets and are not in `env`. */
  readonly withheld?: readonly string[]
  launch(command: string): Promise<Launch>
  /** Set if commands run in a sandbox; and whether one may leave it if the user says so. */
  readonly confined?: { readonly mayLeave: boolean }
  /** Looks at what the command did, while it runs and afterwards. Resolves to what the model has to know of it. */
  after?(): Promise<string | undefined>
  readonly guard?: ProcessGuard | undefined
}

const USUAL_SECONDS = 120
const LOOK_MS = 3_000
const MOST_SECONDS = 600

export function bashTool({ tasks, shell = plainShell() }: BashOptions): Tool<BashInput> {
  return {
    definition: BASH,
    changes: true,

    async access({ command, unconfined = false }, context) {
      // With the first command and not before: judging takes a parser and much knowledge of programs.
      const { judgeCommand } = await import("../execution/permissions/command-access.js")
      const accesses = await judgeCommand(command, context.cwd)
      return unconfined
        ? [{ permission: "unconfined", target: command, detail: command }, ...accesses]
        : accesses
    },

    async run({ command, timeout = USUAL_SECONDS, background = false }, context) {
      if (timeout < 1 || timeout > MOST_SECONDS)
        throw new ToolError(
          `\`timeout\` is in seconds, from 1 to ${MOST_SECONDS}. Use \`background\` for longer work.`,
        )
      if (command.trim() === "") throw new ToolError("`command` is empty.")
      context.abort.throwIfAborted()
      const id = background ? tasks.newId("bash") : "bash"
      const { env, guard } = shell
      const output = fileFor(id, context.scratch)
      const launch = await shell.launch(command)
      const how = { launch, env, cwd: context.cwd, output, guard }
      if (background) {
        const { ended } = await startInBackground(tasks, id, command, how)
        void lookWhile(ended, shell)
        return { content: `Started in the background as ${id}. Its output goes to ${how.output}.` }
      }
      const left = (pid: number) => leftAsTask(tasks, pid, command, output)
      const running = runNow(how, timeout, context, launch.wrapped ? { left } : {})
      const seen = await lookWhile(running, shell)
      const ended = await running
      if (!ended.error) return withNotes(ended, [seen])
      const why = launch.wrapped ? hinderedBy(ended, shell.confined) : undefined
      return withNotes(ended, [seen, why, lackedBy(command, ended, shell.withheld)])
    },
  }
}

function plainShell(): Shell {
  const env = plainEnvironment(childEnvironment(process.env))
  const cwd = process.cwd()
  return { env, launch: (command) => allowedCommand([findBash(cwd), "-c", command], cwd) }
}

/** Looks at what a command does every few seconds, and when it has ended. */
async function lookWhile(ended: Promise<unknown>, { after }: Shell): Promise<string | undefined> {
  if (after === undefined) return undefined
  const seen: (string | undefined)[] = []
  let looking = Promise.resolve()
  const look = () => {
    looking = looking.then(async () => void seen.push(await after()))
  }
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  await ended.catch(() => undefined)
  clearInterval(timer)
  look()
  await looking
  return seen.find((note) => note !== undefined)
}

interface RunOptions {
  /** What an abort is called. */
  readonly stopped?: "aborted" | "stopped"
  /** Takes over processes that the command left running. Returns how to stop them. */
  left?(pid: number): string
}

/** Runs a command to its end, or until it is stopped, and says how it ended below what it printed. */
export async function runNow(
  how: Parameters<typeof startCommand>[0],
  seconds: number,
  context: Pick<ToolContext, "abort" | "progress">,
  { stopped = "aborted", left: takeOver = byHand }: RunOptions = {},
): Promise<Output> {
  const running = await startCommand(how)
  const onAbort = () => running.stop(stopped)
  context.abort.addEventListener("abort", onAbort, { once: true })
  if (context.abort.aborted) onAbort()
  const timer = setTimeout(() => running.stop("timeout"), seconds * 1000)
  const stopTelling = tellNewLines(how.output, context.progress)
  const ending = await running.ended
  stopTelling()
  clearTimeout(timer)
  context.abort.removeEventListener("abort", onAbort)

  const { text, capped } = await printedIn(how.output)
  const left = ending.why === undefined && (await groupStays(running.pid))
  if (!capped && !left) await rm(how.output, { force: true })
  const leftNote = left && `Processes it started are still running. Stop them with: ${takeOver(running.pid)}`
  const notes = [endingNote(ending, seconds), leftNote].filter((note) => typeof note === "string")
  const shown = text === "" && notes.length === 0 ? "[no output]" : text
  const content = [shown, ...notes.map((note) => `[${note}]`)].filter((line) => line !== "").join("\n")
  return ending.code === 0 && ending.why === undefined ? { content } : { content, error: true }
}

function endingNote({ code, signal, why }: CommandEnd, seconds: number): string | undefined {
  switch (why) {
    case "timeout":
      return `Stopped after ${seconds} s. Set a longer timeout (at most ${MOST_SECONDS}) or background if it needs more.`
    case "aborted":
      return "Stopped: the turn was aborted."
    case "stopped":
      return "Stopped."
    case "too much output":
      return "Stopped: it printed more than can be kept."
    default:
      if (signal !== null) return `Killed by ${signal}.`
      return code === 0 ? undefined : `Exit code ${code}.`
  }
}

function byHand(pid: number): string {
  return `kill -- -${pid}`
}

/** Makes a task of what a command left running: it has processes of its own, which no later command can reach. */
function leftAsTask(tasks: Tasks, pid: number, command: string, output: string): string {
  const id = tasks.newId("bash")
  const look = setInterval(() => {
    if (groupLives(pid)) return
    clearInterval(look)
    tasks.end(id, "finished")
  }, 1_000)
  look.unref()
  const stop = async () => {
    clearInterval(look)
    await endGroup(pid)
  }
  tasks.begin({ id, kind: "command", description: shortened(command), output, pid, stop, outlives: true })
  return `task_status with {"id": "${id}", "stop": true}`
}
