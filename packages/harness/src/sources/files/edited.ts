import { resolve } from "node:path"
import type { Entry, ToolCallPart } from "@sotto/core"
import { isReadDenied } from "../../execution/permissions/readable.js"
import type { BlobStore } from "../../store/contract.js"
import type { KnownFile, Touch } from "../../tools/file-views/known-files.js"
import type { SourceContext } from "../source.js"
import { type Announced, announcing, type Change, learned, toldIn } from "./announcements.js"
import { type FileFact, fileFactIn, fileKey, shownPath } from "./facts.js"
import { FileChecker, type Found } from "./file-checker.js"
import type { Writes } from "./writes.js"

const COMMAND = "the command you ran"

/** Gives the command of a call that has come to its end; undefined of any other call. */
function commandOf({ name, input }: ToolCallPart): string | undefined {
  if (name !== "bash" || input === null || typeof input !== "object" || Array.isArray(input)) return undefined
  const { command, background } = input as { readonly command?: unknown; readonly background?: unknown }
  return typeof command === "string" && background !== true ? command : undefined
}

/** True if a command is about to be run: what is different by then is not its doing. */
function awaitsCommand(log: readonly Entry[]): boolean {
  const replied = log.findLast(({ type }) => type === "replied")
  const parts = replied?.type === "replied" ? replied.reply.parts : []
  return parts.some((part) => part.type === "tool-call" && commandOf(part) !== undefined)
}

/**
 * Tells who changed a file while a command ran, as far as that can be known: surely the command if it names the file to
 * change it, surely another program if it only reads.
 */
async function actorBeside(command: string, path: string, cwd: string): Promise<string | undefined> {
  const { judgeCommand } = await import("../../execution/permissions/command-access.js")
  const accesses = await judgeCommand(command, cwd).catch(() => [])
  const target = shownPath(path, cwd)
  if (accesses.some((access) => access.permission === "edit" && access.target === target)) return COMMAND
  const onlyReads =
    accesses.length > 0 &&
    accesses.every(({ permission, effect }) => permission !== "bash" || effect === "read") &&
    !accesses.some(({ permission }) => permission === "edit")
  return onlyReads ? undefined : `${COMMAND}, or someone else while it ran`
}

type Actor = string | undefined
type Blame = (path: string) => Actor | Promise<Actor>

const nobody: Blame = () => undefined

/** Where contents are kept by hash, and who wrote what: shared by all the agents of a directory. */
export interface FileRecords {
  readonly writes: Writes
  store(): BlobStore
}

/**
 * Tells of files that are no longer what the model takes them for: once for each change, and never of the agent's own.
 * What the model knows is in the log and the store, so that what was changed between two runs is told too.
 */
export class EditedFiles {
  readonly checker = new FileChecker()
  readonly #context: SourceContext
  readonly #records: FileRecords
  /** Noted, and not yet told in full. */
  readonly #announced = new Map<string, Announced>()
  /** What a look has found that was not noted yet. */
  readonly #found = new Map<string, Found>()
  readonly #actors = new Map<string, (Actor | Promise<Actor>)[]>()
  readonly #looking = new Set<Promise<void>>()
  /** Whether there are files that were never looked at: known from the log, and not because they were touched. */
  #hasUnseen = true
  #heardUpTo = 0

  constructor(context: SourceContext, records: FileRecords) {
    this.#context = context
    this.#records = records
    this.#hear()
  }

  /**
   * Notes before a boundary what is different. Before calls are carried out, notes only who it was that came before
   * them.
   */
  collect(): void | Promise<void> {
    for (const path of this.#hear()) this.#record(path)
    const { phase, log } = this.#context.session
    if (phase !== "ready" && !(phase === "awaiting-results" && awaitsCommand(log))) return
    const ready = this.checker.ready()
    return ready ? ready.then(() => this.#look()) : this.#look()
  }

  #look(): void | Promise<void> {
    const { phase, isInTurn } = this.#context.session
    // While the agent did not work, anything may have happened.
    this.#survey(nobody, !isInTurn || this.#hasUnseen)
    if (this.#looking.size > 0) return this.#afterLooking()
    if (phase === "ready" && this.#found.size > 0) return this.#note()
  }

  touched({ path, how, known, stat, before }: Touch): void {
    this.#announced.delete(path)
    this.#clear(path)
    this.checker.touched(path, known.hash, stat)
    const { session, agent } = this.#context
    if (known.text !== undefined) this.#records.store().keep(known.hash, known.text)
    if (how === "written")
      this.#records.writes.record(path, known.hash, session.id, `the agent ${agent().name}`)
    this.#record(path, before)
  }

  /** Surveys the files after a command: what changed while it ran may be its doing. */
  called(call: ToolCallPart): void {
    const command = commandOf(call)
    if (command === undefined) return
    const { cwd } = this.#context
    this.#survey((path) => actorBeside(command, path, cwd), true)
  }

  #survey(blame: Blame, closely: boolean): void {
    const { files } = this.#context
    if (closely) this.#hasUnseen = false
    for (const path of closely ? files.paths() : this.checker.restless()) {
      const known = files.get(path)
      if (known === undefined) continue
      const found = this.checker.look(path, known.hash)
      if (!(found instanceof Promise)) this.#see(path, found, blame)
      else {
        const looking = found.then((late) => {
          // If it was touched meanwhile, it differs from what was looked at.
          if (files.get(path) === known) this.#see(path, late, blame)
          this.#looking.delete(looking)
        })
        this.#looking.add(looking)
      }
    }
  }

  #see(path: string, found: Found | undefined, blame: Blame): void {
    const before = this.#found.has(path) ? this.#found.get(path)?.hash : this.#takenFor(path)
    if (found === undefined || found.hash === before) return
    const { session } = this.#context
    this.#found.set(path, found)
    const actor = this.#records.writes.by(path, found.hash, session.id) ?? blame(path)
    this.#actors.set(path, [...(this.#actors.get(path) ?? []), actor])
  }

  #takenFor(path: string): string | undefined {
    const announced = this.#announced.get(path)
    if (announced !== undefined) return announced.hash
    const known = this.#context.files.get(path)
    return known?.gone ? undefined : known?.hash
  }

  async #afterLooking(): Promise<void> {
    await Promise.all(this.#looking)
    if (this.#context.session.phase === "ready") await this.#note()
  }

  async #note(): Promise<void> {
    const { cwd, session, files, judge } = this.#context
    const actors = new Map<string, readonly Actor[]>()
    for (const [path, who] of this.#actors) actors.set(path, await Promise.all(who))
    const changes = files.paths().flatMap((path): Change[] => {
      const [found, known] = [this.#found.get(path), files.get(path)]
      if (found === undefined || known === undefined || found.hash === this.#takenFor(path)) return []
      // It may have been read under other rules. What it says now is not for this agent.
      if (isReadDenied(path, cwd, judge)) return []
      return [{ path, known, found, announced: this.#announced.get(path), actors: actors.get(path) ?? [] }]
    })
    const [told, owned] = partition(changes, ({ path }) => !this.#isInstruction(path))
    for (const signal of await announcing(told, cwd)) session.note(signal)
    for (const { path, known, found } of owned) {
      files.learn(path, learned(known, found))
      if (found.hash !== undefined && found.text !== undefined)
        this.#records.store().keep(found.hash, found.text)
      this.#record(path)
    }
    for (const { path, known, found } of told) {
      if (found.hash === known.hash && !known.gone) this.#announced.delete(path)
      else this.#announced.set(path, found)
      if (found.hash !== undefined && found.text !== undefined)
        this.#records.store().keep(found.hash, found.text)
      this.#record(path)
    }
    for (const path of [...this.#found.keys()]) this.#clear(path)
  }

  /** True for an instruction file: what it says is told by its own rule, as the difference to what was told before. */
  #isInstruction(path: string): boolean {
    const { cwd, session } = this.#context
    const shown = shownPath(path, cwd)
    const keys = [`instructions:${shown}`, `nested:${shown}`]
    // Also one that is gone: that it went is told by the same rule.
    return ["instructions", "nested"].some((family) =>
      session.facts(family).some(([key]) => keys.includes(key)),
    )
  }

  /** Goes through what is new in the log: which files the model was told of there. */
  #hear(): readonly string[] {
    const { log } = this.#context.session
    const isRestored = this.#heardUpTo === 0
    const learned: string[] = []
    for (; this.#heardUpTo < log.length; this.#heardUpTo++) {
      const entry = log[this.#heardUpTo]
      if (entry?.type === "step") learned.push(...this.#told(entry))
      else if (entry?.type === "rewound") this.#goBack(entry.step)
      else if (entry?.type === "redone") this.#goBack(entry.before)
      else if (isRestored && entry !== undefined) this.#recall(entry)
    }
    return learned
  }

  /** Forgets what was read after that entry: the model has never seen it. */
  #goBack(seq: number): void {
    const { session, files } = this.#context
    for (const path of files.paths()) files.forget(path)
    this.#hasUnseen = true
    this.#announced.clear()
    this.#found.clear()
    this.#actors.clear()
    for (const entry of session.log.slice(0, seq)) {
      if (entry.type === "step") this.#told(entry)
      else if (entry.type === "rewound") this.#goBack(entry.step)
      else if (entry.type === "redone") this.#goBack(entry.before)
      else this.#recall(entry)
    }
  }

  #told(step: Entry & { readonly type: "step" }): readonly string[] {
    const { cwd, files } = this.#context
    return [...toldIn(step)].flatMap(([shown, how]): string[] => {
      const path = resolve(cwd, shown)
      const [announced, known] = [this.#announced.get(path), files.get(path)]
      if (announced === undefined || known === undefined) return []
      if (how === "path" && announced.hash !== undefined && announced.hash !== known.hash) return []
      files.learn(path, learned(known, announced))
      this.#announced.delete(path)
      return [path]
    })
  }

  #recall(entry: Entry): void {
    const found = fileFactIn(entry)
    if (found === undefined) return
    const { hash, neutralised = false, gone, announced } = found.fact
    const { cwd, files } = this.#context
    const path = resolve(cwd, found.path)
    const kept = (of: string) => () => this.#records.store().content(of)
    const known: KnownFile = { hash, neutralised, ...(gone && { gone }), text: kept(hash) }
    files.forget(path)
    files.learn(path, known)
    this.#announced.delete(path)
    if (announced === null) this.#announced.set(path, { hash: undefined, text: undefined })
    else if (announced !== undefined) this.#announced.set(path, { hash: announced, text: kept(announced) })
  }

  #record(path: string, before?: string | null): void {
    const { cwd, session, files } = this.#context
    const known = files.get(path)
    if (known === undefined) return
    const announced = this.#announced.get(path)
    const fact: FileFact = {
      hash: known.hash,
      ...(known.neutralised && { neutralised: true }),
      ...(known.gone && { gone: true }),
      ...(announced && { announced: announced.hash ?? null }),
      ...(before !== undefined && { before }),
    }
    session.observe(fileKey(path, cwd), fact)
  }

  #clear(path: string): void {
    this.#found.delete(path)
    this.#actors.delete(path)
  }
}

function partition<T>(
  all: readonly T[],
  isFirst: (one: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}
