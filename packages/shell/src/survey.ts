import type { Checks } from "./checks.js"
import { Folders } from "./files/folders.js"
import { doubtOfRepository } from "./files/git-repository.js"
import { locate } from "./files/location.js"
import { Places } from "./files/places.js"
import { parseScript } from "./parse/parse.js"
import { type SimpleCommand, Unparsable } from "./parse/script.js"
import type { Word } from "./parse/words.js"
import { classify, programName } from "./programs/classify.js"
import { type Effect, type Judgement, worse } from "./programs/judgement.js"
import { connection, networkUse } from "./programs/network.js"
import { mayBePassed } from "./programs/variables.js"
import { wording } from "./programs/words-of.js"
import type { CommandTouch, Doubt, FolderVisit, NetworkUse, ProgramRun } from "./touches.js"

/** A shell in a shell in a shell in a shell: a script that goes deeper than this does not mean well. */
const deepest = 4

/** Where bash and a POSIX shell read the same text differently. */
const bashOnly =
  /\$['"]|\[\[|\(\(|<<<|&>|>&\s*[^\d\s-]|;&|\b(function|select|coproc|time|export|readonly|local|declare|typeset)\b|[<>]\(|=\(/

/** What was found out about a command line. */
export interface CommandSurvey {
  /** What it touches: its runs first, then files, then folders that it goes to. */
  readonly touches: readonly CommandTouch[]
  readonly sends: readonly NetworkUse[]
  readonly doubts: readonly Doubt[]
}

/**
 * Finds what a command line would touch: one run for each simple command in it, with its effect, one write for each file
 * that it is known to change, and one read for each that it reads. A line that cannot be parsed is one run of unknown
 * effect. The tests leave out one of the checks to show what it is for; `judge` makes all of them.
 */
export async function surveyCommand(command: string, cwd: string, checks: Checks): Promise<CommandSurvey> {
  const survey = new ScriptSurvey(command, cwd, checks)
  await survey.script(command, 0)
  await survey.places()
  return { touches: survey.touches, sends: survey.sends, doubts: survey.doubts() }
}

class ScriptSurvey {
  readonly touches: CommandTouch[] = []
  readonly sends: NetworkUse[] = []
  readonly #cwd: string
  readonly #script: string
  readonly #checks: Checks
  readonly #folders: Folders
  readonly #places: Places
  /** Names the folders that git goes to before it does anything. */
  readonly #within: (readonly Word[])[] = []
  readonly #doubts: Doubt[] = []
  /** Runs of git, whose repository is looked at when all folders that the script goes to are known. */
  readonly #repositories: { readonly at: ProgramRun; readonly judgement: Judgement }[] = []

  constructor(script: string, cwd: string, checks: Checks) {
    this.#cwd = cwd
    this.#script = script
    this.#checks = checks
    this.#folders = new Folders(cwd, script)
    this.#places = new Places(cwd, this.#folders)
  }

  async script(source: string, depth: number): Promise<Effect> {
    try {
      const commands = await parseScript(source, this.#checks)
      let effect: Effect = "read"
      for (const command of commands) effect = worse(effect, await this.#command(command, depth))
      return effect
    } catch (error) {
      if (!(error instanceof Unparsable)) throw error
      this.#doubt(error.message, source.trim())
      this.touches.push(anyRun(source.trim()))
      return "unknown"
    }
  }

  /** Judges places last: a function may run long after it was written down, in whatever folder the script then is. */
  async places(): Promise<void> {
    for (const { at, judgement } of this.#repositories) this.#lookAtRepository(at, judgement)
    const strays = await this.#strays()
    this.touches.push(...(await this.#places.touches()), ...strays)
    this.#confine(strays)
    // Even a script that does nothing is a use of the shell.
    if (this.touches.length === 0) this.touches.push(runOf(this.#script.trim(), "read"))
  }

  async #command(command: SimpleCommand, depth: number): Promise<Effect> {
    const judgement = classify(command, this.#checks)
    const at = this.touches.length
    if (command.doubt !== undefined) this.#doubt(command.doubt, command.text)
    this.#send(command)
    let effect = await this.#effect(judgement, command, depth)
    let writes = false
    for (const redirect of command.redirects) {
      const { use, target } = redirect
      if (use === "none" || target === undefined) continue
      const called = connection(target, command.text)
      if (called !== undefined) this.sends.push(called)
      if (use === "writes") {
        writes = true
        effect = "write"
        this.#places.change(target)
      } else if (use === "unknown" || (use === "open file" && this.#checks.has("devices")))
        effect = worse(effect, "unknown")
      else if (use === "reads") {
        if (mayConnect(target)) effect = worse(effect, "unknown")
        this.#places.read({ path: target })
      }
    }
    for (const target of judgement.targets ?? []) this.#places.change(target)
    for (const reading of judgement.reads ?? []) {
      this.#places.read(reading, judgement.within)
      // Git shows what is in the whole repository, from wherever in it.
      if (judgement.within?.length) this.#places.read(reading)
    }
    for (const path of command.tested ?? []) this.#places.read({ path, ifThere: true })
    if (judgement.within?.length) this.#within.push(judgement.within)
    if (isOpaque(judgement)) this.#places.mention(command.words)
    if (judgement.enters) {
      const plain = depth === 0 && command.redirects.length === 0
      const isKnown = this.#folders.enter(judgement.enters, command.repeated, plain)
      if (!isKnown) effect = worse(effect, "unknown")
    }
    if (command.words.length === 0 && effect === "read") return effect
    const run = { ...runOf(command.text, effect), ...wording(command, writes, runsNothingElse(judgement)) }
    // The command comes before what it runs.
    this.touches.splice(at, 0, run)
    if (judgement.repository && effect === "read" && this.#checks.has("git repository"))
      this.#repositories.push({ at: run, judgement })
    return effect
  }

  /**
   * Lists the folders outside that the script goes to. There, and where it is not known where it is, a command may mean
   * something else than the same words mean in the workspace.
   */
  async #strays(): Promise<readonly FolderVisit[]> {
    const strays: FolderVisit[] = []
    // Git shows names of files in the folder that it is told to go to.
    const shown = this.#within.flatMap((within) => this.#folders.after(within) ?? [])
    for (const folder of new Set([...this.#folders.entered, ...shown])) {
      const { inside, relative: path } = await locate(folder, this.#cwd)
      if (!inside) strays.push({ is: "visit", path, part: path })
    }
    // Ask before a command lists names there: the folder may lie outside.
    const lost = this.#folders.lost
    if (lost !== undefined) this.#doubt("the folder that it goes to is known only when it runs", lost)
    if (strays.length === 0 && lost !== undefined)
      strays.push({ is: "visit", path: lost, exact: false, part: lost })
    if (strays.length > 0)
      for (const [at, touch] of this.touches.entries())
        if (touch.is === "run" && touch.effect !== "read") this.touches[at] = { ...touch, exact: false }
    return strays
  }

  /** Takes the mark off again where something else in the script does more than read, or leaves the workspace. */
  #confine(strays: readonly FolderVisit[]): void {
    const isHarmless = (touch: CommandTouch) =>
      touch.is !== "write" && (touch.is !== "run" || touch.effect === "read" || touch.confinable === true)
    if (strays.length === 0 && this.touches.every(isHarmless)) return
    for (const [at, touch] of this.touches.entries()) {
      if (touch.is !== "run") continue
      const { confinable: _, ...run } = touch
      this.touches[at] = run
    }
  }

  #lookAtRepository(run: ProgramRun, { within = [] }: Judgement): void {
    const folders = this.#folders.after(within)
    const doubt =
      folders === undefined ? "its repository is known only when it runs" : doubtOfRepository(folders)
    if (doubt === undefined) return
    this.#doubt(doubt, run.part)
    this.touches[this.touches.indexOf(run)] = { ...run, effect: "unknown" }
  }

  async #effect(judgement: Judgement, command: SimpleCommand, depth: number): Promise<Effect> {
    const { effect, runs, script, assigns = [] } = judgement
    if (runs === undefined && script === undefined) return effect
    if (depth >= deepest || (script?.posix && bashOnly.test(script.source))) {
      this.#doubt(
        depth >= deepest ? "shells within shells" : "syntax that shells read differently",
        command.text,
      )
      this.touches.push(anyRun(command.text))
      return worse(effect, "unknown")
    }
    const own = assigns.every(mayBePassed) ? effect : worse(effect, "unknown")
    if (script) return worse(own, await this.script(script.source, depth + 1))
    const inner: SimpleCommand = {
      ...command,
      text: (runs ?? []).map((word) => word.source).join(" "),
      words: runs ?? [],
      assigns,
      redirects: [],
    }
    return worse(own, await this.#command(inner, depth + 1))
  }

  /** Tells what is doubtful: what was noticed on the way, and every run, read and write that is not known. */
  doubts(): readonly Doubt[] {
    for (const touch of this.touches) {
      if (touch.is === "run" && touch.effect === "unknown") {
        if (!this.#doubts.some(({ part }) => part === touch.part))
          this.#doubt(
            touch.confinable ? "it runs code of the workspace" : "what it does is not known",
            touch.part,
          )
      } else if ((touch.is === "read" || touch.is === "write") && touch.reach === "anywhere")
        this.#doubt(`which file it ${touch.is}s is known only when it runs`, touch.part)
    }
    return this.#doubts
  }

  #doubt(why: string, part: string): void {
    if (!this.#doubts.some((one) => one.why === why && one.part === part)) this.#doubts.push({ why, part })
  }

  #send({ words: [name, ...args], text }: SimpleCommand): void {
    if (name?.kind !== "static") return
    const sent = networkUse(programName(name.text), args, text)
    if (sent !== undefined) this.sends.push(sent)
  }
}

function runOf(part: string, effect: Effect): ProgramRun {
  const shown =
    effect === "confinable" ? ({ effect: "unknown", confinable: true } as const) : ({ effect } as const)
  return { is: "run", command: part, ...shown, part }
}

function anyRun(part: string): ProgramRun {
  return { ...runOf(part, "unknown"), exact: false, perhaps: ["*"] }
}

/** True if bash may connect: it takes `< /dev/tcp/HOST/PORT` for a connection, and `/dev/tc{p..p}/` for the same. */
function mayConnect(target: Word): boolean {
  if (target.kind === "static") return /^\/dev\/(tcp|udp)(\/|$)/.test(target.text)
  return target.kind === "dynamic" ? /^(\/|\/d.*)?$/.test(target.prefix) : /^\/(d.*)?$/.test(target.prefix)
}

/** True if it is not known which files it touches. Git's own changes stay in the repository. */
function isOpaque({ effect, reads, targets, repository }: Judgement): boolean {
  return effect !== "read" && reads === undefined && targets === undefined && !repository
}

/** True if all that it runs is judged on its own. Programs that change the files they are told run nothing. */
function runsNothingElse({ effect, script, targets, runs }: Judgement): boolean {
  return script !== undefined || effect === "read" || (targets !== undefined && runs === undefined)
}
