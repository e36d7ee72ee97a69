import { locate } from "../../workspace/location.js"
import type { Access } from "../access.js"
import { type Checks, EVERY_CHECK } from "./checks.js"
import { classify } from "./classify.js"
import { Folders } from "./folders.js"
import { doubtOfRepository } from "./git-repository.js"
import { type Effect, type Judgement, worse } from "./judgement.js"
import { parseScript } from "./parse.js"
import { Places } from "./places.js"
import { type SimpleCommand, Unparsable } from "./script.js"
import { mayBePassed } from "./variables.js"
import { wording } from "./wording.js"
import type { Word } from "./words.js"

/** A shell in a shell in a shell in a shell: nobody means well who goes deeper than this. */
const deepest = 4

/** Where bash and a POSIX shell read the same text differently. */
const bashOnly =
  /\$['"]|\[\[|\(\(|<<<|&>|>&\s*[^\d\s-]|;&|\b(function|select|coproc|time|export|readonly|local|declare|typeset)\b|[<>]\(|=\(/

/**
 * What a command line would touch: one access for each simple command in it, with its effect, one for each file that it
 * is known to change, and one for each that it reads. What cannot be parsed is one command of unknown effect.
 */
export async function judgeCommand(
  command: string,
  cwd: string,
  checks: Checks = EVERY_CHECK,
): Promise<readonly Access[]> {
  const survey = new ScriptSurvey(command, cwd, checks)
  await survey.script(command, 0)
  await survey.places()
  return survey.accesses
}

class ScriptSurvey {
  readonly accesses: Access[] = []
  readonly #cwd: string
  readonly #detail: string
  readonly #checks: Checks
  readonly #folders: Folders
  readonly #places: Places
  /** Names the folders that git goes to before it does anything. */
  readonly #within: (readonly Word[])[] = []
  /** Accesses of git, whose repository is looked at when all folders that the script goes to are known. */
  readonly #repositories: { readonly at: Access; readonly judgement: Judgement }[] = []

  constructor(detail: string, cwd: string, checks: Checks) {
    this.#cwd = cwd
    this.#detail = detail
    this.#checks = checks
    this.#folders = new Folders(cwd, detail)
    this.#places = new Places(cwd, detail, this.#folders)
  }

  async script(source: string, depth: number): Promise<Effect> {
    try {
      const commands = await parseScript(source, this.#checks)
      let effect: Effect = "read"
      for (const command of commands) effect = worse(effect, await this.#command(command, depth))
      return effect
    } catch (error) {
      if (!(error instanceof Unparsable)) throw error
      // It might be any command at all.
      this.accesses.push({ ...this.#access(source.trim(), "unknown"), exact: false, perhaps: ["*"] })
      return "unknown"
    }
  }

  /** Judged last: a function may run long after it was written down, in whatever folder the script then is. */
  async places(): Promise<void> {
    for (const { at, judgement } of this.#repositories) this.#lookAtRepository(at, judgement)
    const strays = await this.#strays()
    const read = await this.#places.accesses()
    const isNew = ({ target }: Access) =>
      !read.some((one) => one.permission === "outside" && one.target === target)
    this.accesses.push(...read, ...strays.filter(isNew))
    this.#confine(strays)
    // Even a script that does nothing is a use of the shell.
    if (this.accesses.length === 0) this.accesses.push(this.#access(this.#detail.trim(), "read"))
  }

  async #command(command: SimpleCommand, depth: number): Promise<Effect> {
    const judgement = classify(command, this.#checks)
    const at = this.accesses.length
    let effect = await this.#effect(judgement, command, depth)
    let writes = false
    for (const redirect of command.redirects) {
      const { use, target } = redirect
      if (use === "none" || target === undefined) continue
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
    const access: Access = {
      ...this.#access(command.text, effect),
      ...wording(command, writes, runsNothingElse(judgement)),
    }
    // The command comes before what it runs.
    this.accesses.splice(at, 0, access)
    if (judgement.repository && effect === "read" && this.#checks.has("git repository"))
      this.#repositories.push({ at: access, judgement })
    return effect
  }

  /**
   * The folders outside that it goes to. There, and where it is not known where it is, a command may mean something
   * else than the same words mean in the workspace.
   */
  async #strays(): Promise<readonly Access[]> {
    const strays: Access[] = []
    // Git shows names of files in the folder that it is told to go to.
    const shown = this.#within.flatMap((within) => this.#folders.after(within) ?? [])
    for (const folder of new Set([...this.#folders.entered, ...shown])) {
      const { inside, relative: target } = await locate(folder, this.#cwd)
      if (!inside) strays.push({ permission: "outside", target, detail: this.#detail })
    }
    // Ask before a command lists names there: the folder may lie outside.
    const lost = this.#folders.lost
    if (strays.length === 0 && lost !== undefined)
      strays.push({ permission: "outside", target: lost, detail: this.#detail, exact: false })
    if (strays.length > 0)
      for (const [at, access] of this.accesses.entries())
        if (access.effect !== "read") this.accesses[at] = { ...access, exact: false }
    return strays
  }

  /** Takes the mark off again where something else in the script does more than read, or leaves the workspace. */
  #confine(strays: readonly Access[]): void {
    const isHarmless = ({ permission, effect, confinable }: Access) =>
      permission !== "edit" && (permission !== "bash" || effect === "read" || confinable === true)
    if (strays.length === 0 && this.accesses.every(isHarmless)) return
    for (const [at, { confinable: _, ...access }] of this.accesses.entries()) this.accesses[at] = access
  }

  #lookAtRepository(access: Access, { within = [] }: Judgement): void {
    const folders = this.#folders.after(within)
    if (folders !== undefined && doubtOfRepository(folders) === undefined) return
    this.accesses[this.accesses.indexOf(access)] = { ...access, effect: "unknown" }
  }

  async #effect(judgement: Judgement, command: SimpleCommand, depth: number): Promise<Effect> {
    const { effect, runs, script, assigns = [] } = judgement
    if (runs === undefined && script === undefined) return effect
    if (depth >= deepest || (script?.posix && bashOnly.test(script.source))) {
      // Whatever it is, a rule for it has to be thought of.
      this.accesses.push({ ...this.#access(command.text, "unknown"), exact: false, perhaps: ["*"] })
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

  #access(target: string, effect: Effect): Access {
    const shown =
      effect === "confinable" ? ({ effect: "unknown", confinable: true } as const) : ({ effect } as const)
    return { permission: "bash", target, ...shown, detail: this.#detail }
  }
}

/** Bash takes `< /dev/tcp/HOST/PORT` for a connection, and `/dev/tc{p..p}/` for the same. */
function mayConnect(target: Word): boolean {
  if (target.kind === "static") return /^\/dev\/(tcp|udp)(\/|$)/.test(target.text)
  return target.kind === "dynamic" ? /^(\/|\/d.*)?$/.test(target.prefix) : /^\/(d.*)?$/.test(target.prefix)
}

/** Which files it touches is not known. Git's own changes stay in the repository. */
function isOpaque({ effect, reads, targets, repository }: Judgement): boolean {
  return effect !== "read" && reads === undefined && targets === undefined && !repository
}

/** Whether all that it runs is judged on its own. Programs that change the files they are told run nothing. */
function runsNothingElse({ effect, script, targets, runs }: Judgement): boolean {
  return script !== undefined || effect === "read" || (targets !== undefined && runs === undefined)
}
