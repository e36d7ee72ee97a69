import { resolve } from "node:path"
import type { Access } from "../access.js"
import { locate } from "../paths.js"
import { classify } from "./classify.js"
import { type Effect, type Judgement, worse } from "./judgement.js"
import { parseScript } from "./parse.js"
import { type Command, Unparsable } from "./script.js"
import { mayBePassed } from "./variables.js"
import type { Word } from "./words.js"

/** Shells in shells in shells: deeper than this nobody means well. */
const deepest = 4

/** Where bash and a POSIX shell read the same text differently. */
const bashOnly = /\$['"]|\[\[|\(\(|<<<|&>|>&\s*[^\d\s-]|;&|\b(function|select|coproc|time)\b|[<>]\(/

/**
 * What a command line would touch: one access for each simple command in it, with its effect, and one for each file
 * that it is known to change. What cannot be parsed is one command of unknown effect.
 */
export async function judgeCommand(command: string, cwd: string): Promise<readonly Access[]> {
  const survey = new Survey(command, cwd)
  await survey.script(command, 0)
  await survey.changes()
  return survey.accesses
}

class Survey {
  readonly accesses: Access[] = []
  readonly #detail: string
  readonly #cwd: string
  /** Judged last: a function may run long after it was written down, in whatever folder the script then is. */
  readonly #targets: Word[] = []
  /** Every folder that relative paths might start from, or undefined when it could be any. */
  #folders: ReadonlySet<string> | undefined

  constructor(detail: string, cwd: string) {
    this.#detail = detail
    this.#cwd = cwd
    this.#folders = new Set([cwd])
  }

  async script(source: string, depth: number): Promise<Effect> {
    try {
      const commands = await parseScript(source)
      let effect: Effect = "read"
      for (const command of commands) effect = worse(effect, await this.#command(command, depth))
      return effect
    } catch (error) {
      if (!(error instanceof Unparsable)) throw error
      return this.#bash(source.trim(), "unknown")
    }
  }

  async changes(): Promise<void> {
    for (const target of this.#targets) await this.#edit(target)
    // Even a script that does nothing is a use of the shell.
    if (this.accesses.length === 0) this.#bash(this.#detail.trim(), "read")
  }

  async #command(command: Command, depth: number): Promise<Effect> {
    const judgement = classify(command)
    const at = this.accesses.length
    let effect = await this.#effect(judgement, command, depth)
    for (const redirect of command.redirects) {
      if (redirect.target?.kind === "static" && /^\/dev\/(tcp|udp)\//.test(redirect.target.text))
        effect = worse(effect, "unknown")
      if (!redirect.writes || redirect.target === undefined) continue
      effect = "write"
      this.#targets.push(redirect.target)
    }
    this.#targets.push(...(judgement.targets ?? []))
    if (judgement.enters) this.#enter(judgement.enters, command.repeated)
    // The command comes before what it runs.
    if (command.words.length > 0 || effect !== "read")
      this.accesses.splice(at, 0, this.#access(shown(command), effect))
    return effect
  }

  async #effect(judgement: Judgement, command: Command, depth: number): Promise<Effect> {
    const { effect, runs, script, assigns = [] } = judgement
    if (runs === undefined && script === undefined) return effect
    if (depth >= deepest || (script?.posix && bashOnly.test(script.source))) return worse(effect, "unknown")
    const own = assigns.every(mayBePassed) ? effect : worse(effect, "unknown")
    if (script) return worse(own, await this.script(script.source, depth + 1))
    const inner: Command = {
      ...command,
      text: (runs ?? []).map((word) => word.source).join(" "),
      words: runs ?? [],
      assigns: [],
      redirects: [],
    }
    return worse(own, await this.#command(inner, depth + 1))
  }

  #bash(target: string, effect: Effect): Effect {
    this.accesses.push(this.#access(target, effect))
    return effect
  }

  #access(target: string, effect: Effect): Access {
    return { permission: "bash", target, effect, detail: this.#detail }
  }

  #enter(place: Word, repeated: boolean): void {
    const folders = this.#folders
    const goes = place.kind === "static" && place.text !== "-" && !repeated && folders && folders.size < 16
    this.#folders = goes
      ? new Set([...folders, ...[...folders].map((from) => resolve(from, place.text))])
      : undefined
  }

  async #edit(target: Word): Promise<void> {
    const path = known(target)
    if (path === undefined || (this.#folders === undefined && !path.startsWith("/"))) {
      this.#outside(target.source)
      return
    }
    const seen = new Set<string>()
    for (const folder of path.startsWith("/") ? [this.#cwd] : (this.#folders ?? [])) {
      const place = await locate(path.startsWith("/") ? path : `${folder}/${path}`, this.#cwd)
      if (seen.has(place.path)) continue
      seen.add(place.path)
      if (place.inside) this.accesses.push(this.#edits(place.relative))
      else this.#outside(place.relative)
    }
  }

  #outside(target: string): void {
    this.accesses.push(this.#edits(target), { permission: "outside", target, detail: this.#detail })
  }

  #edits(target: string): Access {
    return { permission: "edit", target, detail: this.#detail }
  }
}

/** The path a word stands for. A pattern stands for itself, as long as it cannot lead elsewhere. */
function known(word: Word): string | undefined {
  if (word.kind === "static") return word.text === "" ? undefined : word.text
  if (word.kind === "dynamic") return undefined
  const rest = word.text.slice(word.prefix.length)
  return /\.\.|[{,][/~]|[*?[\]].*\//.test(rest) ? undefined : word.text
}

/** The name as it is run: a rule for `rm *` means `\rm x` and `'rm' x` too. */
function shown(command: Command): string {
  const [name] = command.words
  if (name?.kind !== "static" || !command.text.startsWith(name.source)) return command.text
  return name.text + command.text.slice(name.source.length)
}
