import { rm } from "node:fs/promises"
import { type Ending, groupLives, type ProcessGuard, startCommand } from "../programs/command.js"
import { printedIn } from "../programs/command-output.js"
import { type ChildEnvironment, childEnvironment, plainEnvironment } from "../programs/environment.js"
import { tellNewLines } from "../programs/live-output.js"
import { startInBackground } from "../tasks/commands.js"
import { fileFor } from "../tasks/output.js"
import type { Tasks } from "../tasks/tasks.js"
import { ToolError } from "../text/errors.js"
import { BASH } from "./definitions.js"
import type { Output, Tool, ToolContext } from "./tool.js"

type BashInput = {
  readonly command: string
  /** Seconds. */
  readonly timeout?: number
  readonly background?: boolean
}

export interface BashOptions {
  readonly tasks: Tasks
  /** Plain bash with what this process inherited, unless given. */
  readonly shell?: Shell
}

/** How commands run. */
export interface Shell {
  readonly env: ChildEnvironment
  /** The program and arguments that run a command. */
  argv(command: string): readonly string[]
  readonly guard?: ProcessGuard | undefined
}

const USUAL_SECONDS = 120
const MOST_SECONDS = 600

export function bashTool({ tasks, shell = plainShell() }: BashOptions): Tool<BashInput> {
  return {
    definition: BASH,
    changes: true,

    async access({ command }, context) {
      // With the first command and not before: judging takes a parser and much knowledge of programs.
      const { judgeCommand } = await import("../permissions/shell/accesses.js")
      return judgeCommand(command, context.cwd)
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
      const how = { argv: shell.argv(command), env, cwd: context.cwd, output, guard }
      if (!background) return runNow(how, timeout, context)
      await startInBackground(tasks, id, command, how)
      return { content: `Started in the background as ${id}. Its output goes to ${how.output}.` }
    },
  }
}

function plainShell(): Shell {
  const env = plainEnvironment(childEnvironment(process.env))
  return { env, argv: (command) => ["bash", "-c", command] }
}

/** Runs a command to its end, or until it is stopped, and says how it ended below what it printed. */
export async function runNow(
  how: Parameters<typeof startCommand>[0],
  seconds: number,
  context: Pick<ToolContext, "abort" | "progress">,
  stopped: "aborted" | "stopped" = "aborted",
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
  const left = ending.why === undefined && groupLives(running.pid)
  if (!capped && !left) await rm(how.output, { force: true })
  const notes = [endingNote(ending, seconds), left && leftNote(running.pid)].filter(
    (note) => typeof note === "string",
  )
  const shown = text === "" && notes.length === 0 ? "[no output]" : text
  const content = [shown, ...notes.map((note) => `[${note}]`)].filter((line) => line !== "").join("\n")
  return ending.code === 0 && ending.why === undefined ? { content } : { content, error: true }
}

function endingNote({ code, signal, why }: Ending, seconds: number): string | undefined {
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

function leftNote(pid: number): string {
  return `Processes it started are still running. Stop them with: kill -- -${pid}`
}
