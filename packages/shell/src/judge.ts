import { EVERY_CHECK } from "./checks.js"
import { surveyCommand } from "./survey.js"
import type { CommandTouch, Doubt, FileRead, FileWrite, NetworkUse, ProgramRun } from "./touches.js"

/** How a command is judged. */
export interface JudgeOptions {
  /** The folder that the command would run in. Default: the folder of this process. */
  readonly cwd?: string
}

/** What a line of bash would do. */
export interface CommandJudgement {
  /** Files and folders that it reads. */
  readonly reads: readonly FileRead[]
  /** Files and folders that it changes, makes or removes. */
  readonly writes: readonly FileWrite[]
  /** Commands that it runs, each with what it does. */
  readonly runs: readonly ProgramRun[]
  /** Commands that are there to talk to other machines. A run of unknown effect may do so too. */
  readonly sends: readonly NetworkUse[]
  /** What cannot be told. A line without doubts does what the other lists say, and no more. */
  readonly doubts: readonly Doubt[]
  /** Reads, writes, runs and visits of folders in the order in which they were found: runs first. */
  readonly touches: readonly CommandTouch[]
}

/**
 * Says what a line of bash would read, write, run and send, without running it. Looks at the disk where the meaning of
 * the line depends on it: links, patterns, the configuration of a git repository.
 */
export async function judge(
  command: string,
  { cwd = process.cwd() }: JudgeOptions = {},
): Promise<CommandJudgement> {
  const { touches, sends, doubts } = await surveyCommand(command, cwd, EVERY_CHECK)
  return {
    reads: touches.filter((touch) => touch.is === "read"),
    writes: touches.filter((touch) => touch.is === "write"),
    runs: touches.filter((touch) => touch.is === "run"),
    sends,
    doubts,
    touches,
  }
}
