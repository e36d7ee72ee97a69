import { setTimeout as elapsed } from "node:timers/promises"
import {
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionModeState,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import { type Receipt, removed } from "@sotto/core"
import {
  asidesOf,
  type HarnessEvent,
  type OpenConversation,
  type OpenOptions,
  OpenQuestions,
  openConversation,
  type ProjectRuntime,
  type Question,
  reasonOf,
  type SessionCommand,
} from "@sotto/harness"
import { leftOutLines, questionLines } from "../output/trust.js"
import { compactedText } from "../output/words.js"
import { attachmentOf, readPrompt, type Selected, type Selection } from "./content.js"
import { type EditorState, fileFact, linesOfFile, selectionFact, textOfFile } from "./editor-state.js"
import type { MessageOptions } from "./methods.js"
import {
  type AcpCommand,
  type AcpMode,
  asidesAsText,
  COMMANDS,
  commandIn,
  idOf,
  modeNamed,
  modesOf,
} from "./offers.js"
import { answerFor, isTrusted, requestFor, trustRequest, unasked } from "./permission.js"
import { Prompts } from "./prompts.js"
import { replayOf, Updates } from "./updates.js"

/** The editor at the other end, as far as one session needs it. */
export interface Client {
  /** Whether it shows notices; what does not is told in the agent's words. */
  readonly notices: boolean
  update(sessionId: string, update: SessionUpdate): void
  ask(request: RequestPermissionRequest): Promise<RequestPermissionOutcome>
}

export interface EditorSessionOptions {
  readonly workplace: ProjectRuntime
  readonly client: Client
  readonly model?: string
  readonly agent?: string
  /** A stored session to go on with. */
  readonly session?: string
  /** Remembers that the user trusts the folder; gives the workplace as it is then. */
  readonly trusted: () => Promise<ProjectRuntime>
}

export async function openEditorSession(options: EditorSessionOptions): Promise<EditorSession> {
  const { client, model, agent, session } = options
  const early: HarnessEvent[] = []
  let opened: EditorSession | undefined
  const questions = new OpenQuestions(
    (question) => void opened?.ask(question),
    () => opened !== undefined,
  )
  const open = (workplace: ProjectRuntime, how: Starting) =>
    openConversation({
      workplace,
      questions,
      emit: (event) => {
        if (opened) opened.hear(event)
        else early.push(event)
      },
      yes: () => false,
      ...how,
    })
  const asked = { ...(model !== undefined && { model }), ...(agent !== undefined && { agent }) }
  const first = await open(options.workplace, { ...asked, ...(session !== undefined && { session }) })
  const { id } = first.conversation.session
  opened = new EditorSession(first, options.workplace, client, questions, early, async () => {
    const workplace = await options.trusted()
    const { config } = workplace
    // A session that has just begun starts with what the folder's configuration says.
    const own = {
      ...(config.model !== undefined && { model: config.model }),
      ...(config.agent !== undefined && { agent: config.agent }),
    }
    return {
      workplace,
      open: () => open(workplace, { session: id, ...(session === undefined && { ...own, ...asked }) }),
    }
  })
  return opened
}

type Starting = Pick<OpenOptions, "model" | "agent" | "session">

/** A trusted workplace, and how the session goes on in it. */
interface Reopening {
  readonly workplace: ProjectRuntime
  open(): Promise<OpenConversation>
}

/** Milliseconds for what runs to stop. */
const LONGEST_STOP = 5_000

/** One conversation, and the editor's session that shows it. */
export class EditorSession {
  #open: OpenConversation
  #workplace: ProjectRuntime
  readonly #client: Client
  readonly #questions: OpenQuestions
  readonly #prompts = new Prompts()
  readonly #updates: Updates
  readonly #early: HarnessEvent[]
  /** What is selected, as the editor said; what a prompt is about counts for that prompt only. */
  #selected: Selection | undefined
  #compactions = 0
  #failure: string | undefined
  #hasRun = false
  readonly #reopening: () => Promise<Reopening>
  #trusting: Promise<void> | undefined
  #isClosed = false

  constructor(
    open: OpenConversation,
    workplace: ProjectRuntime,
    client: Client,
    questions: OpenQuestions,
    early: HarnessEvent[],
    reopening: () => Promise<Reopening>,
  ) {
    this.#reopening = reopening
    this.#open = open
    this.#workplace = workplace
    this.#client = client
    this.#questions = questions
    this.#early = early
    this.#updates = new Updates({
      cwd: workplace.cwd,
      before: textOfFile,
      window: () => this.#session.context.window,
    })
  }

  get id(): string {
    return this.#session.id
  }

  get mode(): AcpMode {
    return { agent: this.#session.agent, auto: this.#open.conversation.auto }
  }

  get modes(): SessionModeState {
    return modesOf(this.#workplace.agents, this.mode)
  }

  get isRunning(): boolean {
    return this.#session.phase !== "idle"
  }

  get #session() {
    return this.#open.conversation.session
  }

  /** Tells an editor about a session as soon as the editor knows that it exists. */
  announce(): void {
    this.#send({ sessionUpdate: "available_commands_update", availableCommands: COMMANDS })
    for (const event of this.#early.splice(0)) this.hear(event)
    void this.ready()
  }

  /** Resolves once the user has said whether they trust the folder, where that has to be asked. */
  ready(): Promise<void> {
    this.#trusting ??= this.#askForTrust()
    return this.#trusting
  }

  async #askForTrust(): Promise<void> {
    const { trust } = this.#workplace
    const { folder, leftOut: items, changes } = trust
    if (items.length === 0) return
    const lines = questionLines({ folder, items, ...(changes && { changes }) })
    try {
      const outcome = await this.#client.ask({ sessionId: this.id, ...trustRequest(folder, lines) })
      if (this.#isClosed) return
      if (isTrusted(outcome)) return await this.#goOnTrusted()
    } catch (error) {
      this.#report(`The editor could not ask whether you trust this folder: ${reasonOf(error)}`)
    }
    this.#report(leftOutLines(trust).join("\n"))
  }

  /** Reopens the same session in a workplace where what the folder brings along is in effect. */
  async #goOnTrusted(): Promise<void> {
    const { workplace, open } = await this.#reopening()
    await this.#open.close()
    this.#workplace = workplace
    this.#open = await open()
    this.#send({
      sessionUpdate: "current_mode_update",
      currentModeId: idOf(this.mode, this.#workplace.agents),
    })
  }

  replay(): void {
    for (const update of replayOf(this.#session.view(), this.#workplace.cwd)) this.#send(update)
  }

  /** Opens a turn, or steers the one that runs; answered when the turn it became part of is over. */
  async prompt(
    blocks: readonly ContentBlock[],
    options: MessageOptions,
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    await this.ready()
    const command = commandIn(blocks)
    if (command) return this.#type(command)
    const { id, state } = this.say(blocks, options)
    // It was sent before, and the turn that it was part of is over.
    if (state !== "queued" && !this.#session.isInTurn)
      return { stopReason: state === "delivered" ? "end_turn" : "cancelled" }
    signal.addEventListener("abort", () => {
      if (!this.#open.conversation.cancel(id)) this.cancel()
    })
    return this.#prompts.wait(id, state === "delivered")
  }

  /** Carries out a command of an extension method. Returns plain data. */
  async obey(command: SessionCommand): Promise<object> {
    if (command.type !== "abort") await this.ready()
    this.#hasRun = true
    const result = await this.#open.obey(command)
    if (command.type === "auto")
      this.#send({
        sessionUpdate: "current_mode_update",
        currentModeId: idOf(this.mode, this.#workplace.agents),
      })
    return { ...(result as object | undefined) }
  }

  say(blocks: readonly ContentBlock[], options: MessageOptions): Receipt {
    const { parts, attachments, selections } = readPrompt(blocks, this.#workplace.cwd)
    const selected = selections.flatMap((selection) => this.#textOf(selection))
    const [last] = selected.slice(-1)
    this.#observeSelection(last ?? this.#selected)
    const isResent = options.id !== undefined && this.#session.receipt(options.id) !== undefined
    const receipt = this.#open.conversation.say(parts, options)
    if (isResent) return receipt
    // Said and noted in one breath: the boundary that delivers the message knows what it mentions.
    for (const attachment of [...attachments, ...selected.slice(0, -1).map(attachmentOf)])
      this.#session.note({ ...attachment, message: receipt.id })
    return receipt
  }

  /** Resolves when what was said so far is on disk: only then may the editor hear that it was taken. */
  async kept(): Promise<void> {
    await this.#open.conversation.kept()
  }

  cancel(): void {
    this.#open.conversation.abort("the user cancelled")
    this.#prompts.endAll("cancelled")
  }

  setMode(id: string): void {
    const mode = modeNamed(id, this.#workplace.agents, this.mode)
    if (mode === undefined) {
      const ids = this.modes.availableModes.map((known) => known.id).join(", ")
      throw RequestError.invalidParams(undefined, `there is no mode "${id}". There are: ${ids}`)
    }
    const { conversation } = this.#open
    if (mode.auto !== conversation.auto) conversation.setAuto(mode.auto)
    conversation.switchAgent(mode.agent)
  }

  /** Notes what the user has open and selected. The model is told at the next boundary, if it is different by then. */
  look({ file, selection }: EditorState): void {
    const { cwd } = this.#workplace
    if (file !== undefined) this.#session.observe("ide:file", file === null ? removed() : fileFact(file, cwd))
    if (selection === undefined) return
    this.#selected = selection === null ? undefined : selectionFact(selection, cwd)
    this.#observeSelection(this.#selected)
  }

  async ask(question: Question): Promise<void> {
    const call = this.#updates.asking({ type: "ask", ...question })
    const asked = requestFor(question, call, this.#workplace.cwd)
    let answer: string
    try {
      // An editor that knows its name can also answer it in words, by `_sotto/answer`.
      const _meta = { sotto: { question: question.id } }
      answer = answerFor(question, await this.#client.ask({ sessionId: this.id, ...asked, _meta }))
    } catch (error) {
      answer = unasked(question, reasonOf(error))
    }
    const isOpen = call !== undefined && this.#updates.asking({ type: "ask", ...question }) !== undefined
    if (isOpen)
      this.#send({
        sessionUpdate: "tool_call_update",
        toolCallId: call.toolCallId,
        status: "in_progress",
      })
    this.#open.conversation.answer(question.id, answer)
  }

  hear(event: HarnessEvent): void {
    for (const update of this.#updates.of(event)) this.#send(update)
    switch (event.type) {
      case "agent":
        this.#send({
          sessionUpdate: "current_mode_update",
          currentModeId: idOf(this.mode, this.#workplace.agents),
        })
        break
      case "step":
        this.#hasRun = true
        // What breaks the loop itself would otherwise end the process, and every other session with it.
        this.#open.conversation.wake().catch((error: unknown) => this.#prompts.fail(reasonOf(error)))
        break
      case "compacted":
        if (event.why === "asked") this.#say(compactedText(event))
        else if (this.#client.notices)
          this.#send({ sessionUpdate: "notice", severity: "info", title: compactedText(event) })
        break
      case "error":
        this.#reportUnlessFatal(event.message)
        break
      case "notice":
        this.#report(event.message, "info")
        break
      case "turn-end":
        if (event.reason === "error" || event.reason === "overflow") this.#failure = undefined
        break
    }
    this.#prompts.hear(event)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { conversation } = this.#open
    if (this.isRunning) conversation.abort("the editor left")
    this.#prompts.endAll("cancelled")
    this.#questions.close()
    // What was stopped may still have to find that out, and writes no more to a session once that is given back.
    if (this.#hasRun)
      await Promise.race([
        conversation.wake().catch(() => {}),
        elapsed(LONGEST_STOP, undefined, { ref: false }),
      ])
    await this.#open.close()
  }

  /** Carries out what was typed after a slash. */
  async #type({ name, argument }: AcpCommand): Promise<PromptResponse> {
    const { conversation } = this.#open
    if (name === "compact") {
      const id = `compaction-${++this.#compactions}`
      this.#hasRun = true
      conversation.compact()
      conversation.wake().then(
        () => this.#prompts.end(id, "end_turn"),
        (error: unknown) => this.#prompts.fail(reasonOf(error)),
      )
      return this.#prompts.wait(id)
    }
    this.#say(name === "model" ? this.#switchModel(argument) : asidesAsText(asidesOf(this.#session)))
    return { stopReason: "end_turn" }
  }

  #switchModel(name: string): string {
    if (name === "") return "Which one? /model provider/model"
    try {
      const model = this.#workplace.modelNamed(name)
      this.#open.conversation.switchModel(model)
      return `The model is ${model.id} from now on.`
    } catch (error) {
      return reasonOf(error)
    }
  }

  #textOf({ absolute, ...selection }: Selected): readonly Selection[] {
    const { file, from, to } = selection
    const text = selection.text ?? linesOfFile(absolute, from, to)
    const found =
      text === undefined ? undefined : selectionFact({ file, from, to, text }, this.#workplace.cwd)
    if (found === undefined)
      this.#report(`Lines ${from} to ${to} of ${file} cannot be read; the agent only knows their place.`)
    return found ? [found] : []
  }

  #observeSelection(selection: Selection | undefined): void {
    const isKnown = this.#session.fact("ide:selection") !== undefined
    if (selection || isKnown) this.#session.observe("ide:selection", selection ?? removed())
  }

  /** Reports an error unless it ends the turn: then it answers the prompt, and is not said twice. */
  #reportUnlessFatal(message: string): void {
    this.#failure = message
    queueMicrotask(() => {
      if (this.#failure === message) this.#report(message)
      this.#failure = undefined
    })
  }

  #report(message: string, severity: "warning" | "info" = "warning"): void {
    if (this.#client.notices) this.#send({ sessionUpdate: "notice", severity, title: message })
    else this.#say(message)
  }

  #say(text: string): void {
    this.#send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n\n` } })
  }

  #send(update: SessionUpdate): void {
    this.#client.update(this.id, update)
  }
}
