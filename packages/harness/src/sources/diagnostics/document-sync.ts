import type { MessageConnection } from "vscode-jsonrpc"
import type {
  DocumentDiagnosticReport,
  PublishDiagnosticsParams,
  TextDocumentIdentifier,
} from "vscode-languageserver-protocol"
import type { Documents, ServerDocument } from "./documents.js"
import type { Offer, Pull } from "./handshake.js"
import { problemsOf } from "./problems.js"

export interface DocumentSyncOptions {
  readonly connection: MessageConnection
  readonly documents: Documents
  /** The server has said something about a document; where it was asked, that is all. */
  heard(document: ServerDocument, isAll: boolean): void
}

/** The code of "not now, ask again". */
const SERVER_CANCELLED = -32_802
const MOST_TRIES = 5
const PAUSE_MS = 200
/** Between two rounds of questions that the server wishes for. */
const PULL_PAUSE_MS = 250
/** Of one document at a time: a server that answers none of them gets no more. */
const MOST_OPEN = 10

/** What is said about documents, both ways, from the handshake to the end of one process. */
export class DocumentSync {
  readonly #connection: MessageConnection
  readonly #documents: Documents
  readonly #heard: DocumentSyncOptions["heard"]
  #saves = false
  #pull: Pull | undefined
  #pulledAt = 0
  #pullLater: NodeJS.Timeout | undefined
  /** Questions about a document that wait for an answer. */
  readonly #open = new WeakMap<ServerDocument, number>()

  constructor({ connection, documents, heard }: DocumentSyncOptions) {
    this.#connection = connection
    this.#documents = documents
    this.#heard = heard
    connection.onNotification("textDocument/publishDiagnostics", (said: Partial<PublishDiagnosticsParams>) =>
      this.#hear(said),
    )
  }

  begin({ saves, pull }: Offer): void {
    this.#saves = saves
    this.#pull ??= pull
  }

  pulls(pull: Pull): void {
    this.#pull = pull
    this.pullAll()
  }

  /** Has the server know the document with this text. */
  show(document: ServerDocument, text: string): void {
    const { uri, language, shown } = document
    document.version++
    document.shown = text
    document.shownAt = Date.now()
    const { version } = document
    if (shown === undefined)
      this.#tell("textDocument/didOpen", { textDocument: { uri, languageId: language, version, text } })
    else this.#tell("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ text }] })
    void this.#ask(document)
  }

  saved({ uri, shown = "" }: ServerDocument): void {
    if (this.#saves) this.#tell("textDocument/didSave", { textDocument: { uri }, text: shown })
  }

  hide({ uri, shown }: ServerDocument): void {
    if (shown !== undefined) this.#tell("textDocument/didClose", { textDocument: { uri } })
  }

  /** Asks anew after a change was shown: in other files there may be other problems now. */
  changed(changed: readonly ServerDocument[]): void {
    if (!this.#pull?.betweenFiles) return
    for (const document of this.#documents.all()) if (!changed.includes(document)) void this.#ask(document)
  }

  /** Asks for the problems of every document, and once for all wishes of one moment: a server may wish without end. */
  pullAll(): void {
    const wait = this.#pulledAt + PULL_PAUSE_MS - Date.now()
    if (wait > 0) {
      this.#pullLater ??= setTimeout(() => {
        this.#pullLater = undefined
        this.pullAll()
      }, wait).unref()
      return
    }
    this.#pulledAt = Date.now()
    for (const document of this.#documents.all()) void this.#ask(document)
  }

  #hear({ uri, version, diagnostics }: Partial<PublishDiagnosticsParams>): void {
    const document = typeof uri === "string" ? this.#documents.named(uri) : undefined
    if (document?.shown === undefined) return
    if (typeof version === "number" && version !== document.version) return
    document.pushed = problemsOf(diagnostics)
    this.#heard(document, false)
  }

  async #ask(document: ServerDocument, tries = 1): Promise<void> {
    const { uri, version, shown } = document
    const open = this.#open.get(document) ?? 0
    if (this.#pull === undefined || shown === undefined || open >= MOST_OPEN) return
    this.#open.set(document, open + 1)
    const { identifier } = this.#pull
    const textDocument: TextDocumentIdentifier = { uri }
    const params = { textDocument, ...(identifier !== undefined && { identifier }) }
    const isStale = () => document.version !== version || document.shown !== shown
    try {
      const report = await this.#connection
        .sendRequest<DocumentDiagnosticReport | null>("textDocument/diagnostic", params)
        .finally(() => this.#open.set(document, (this.#open.get(document) ?? 1) - 1))
      if (isStale()) return
      if (report?.kind !== "unchanged") document.pulled = problemsOf(report?.items)
      this.#heard(document, true)
    } catch (error) {
      const again = error instanceof Error && "code" in error && error.code === SERVER_CANCELLED
      if (!again || tries >= MOST_TRIES || isStale()) return
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref())
      if (!isStale()) await this.#ask(document, tries + 1)
    }
  }

  /** Tells the server. A server that is gone hears nothing; that it is gone is noticed elsewhere. */
  #tell(method: string, params: object): void {
    void this.#send(method, params).catch(() => undefined)
  }

  /** Asynchronous, so that a connection that is closed already rejects instead of throwing at the caller. */
  async #send(method: string, params: object): Promise<void> {
    await this.#connection.sendNotification(method, params)
  }
}
