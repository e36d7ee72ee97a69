import { basename } from "node:path"
import { pathToFileURL } from "node:url"
import type { Json } from "@sotto/core"
import type { MessageConnection } from "vscode-jsonrpc"
import type {
  ClientCapabilities,
  ConfigurationParams,
  DiagnosticRegistrationOptions,
  InitializeParams,
  InitializeResult,
  RegistrationParams,
  ServerCapabilities,
} from "vscode-languageserver-protocol"

/** What a server offers that matters here. */
export interface Offer {
  /** Whether it wants to hear that a file was saved. */
  readonly saves: boolean
  /** Whether it wants to be asked for problems; it may say so later, too. */
  readonly pull: Pull | undefined
}

export interface Pull {
  readonly identifier?: string
  /** Whether a change in one file may make problems in another. */
  readonly betweenFiles: boolean
}

export interface Handshake {
  readonly connection: MessageConnection
  readonly root: string
  readonly initialization: Readonly<Record<string, Json>>
  /** It wants to be asked for problems from now on. */
  pulls(pull: Pull): void
  /** It has reason to believe that the problems are others than it said. */
  refresh(): void
}

const CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ["utf-16"] },
  textDocument: {
    synchronization: { didSave: true, dynamicRegistration: false },
    publishDiagnostics: { versionSupport: true, codeDescriptionSupport: false, relatedInformation: false },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    applyEdit: false,
    diagnostics: { refreshSupport: true },
    didChangeConfiguration: { dynamicRegistration: false },
    didChangeWatchedFiles: { dynamicRegistration: false },
  },
  window: { workDoneProgress: true, showMessage: {}, showDocument: { support: false } },
}

/** Introduces Sotto to a server, and gives the answers that servers ask their editors for. */
export async function shakeHands(options: Handshake): Promise<Offer> {
  const { connection, root, initialization } = options
  answerRequests(options)
  connection.listen()
  const uri = pathToFileURL(root).href
  const params: InitializeParams = {
    // A server has processes of its own and would look for this one in vain. It ends when its input does.
    processId: null,
    clientInfo: { name: "sotto" },
    rootUri: uri,
    workspaceFolders: [{ uri, name: basename(root) }],
    capabilities: CAPABILITIES,
    initializationOptions: initialization,
  }
  const answer = await connection.sendRequest<InitializeResult | null>("initialize", params)
  await connection.sendNotification("initialized", {})
  // Servers that take their settings this way wait for the first word of them.
  if (Object.keys(initialization).length > 0)
    await connection.sendNotification("workspace/didChangeConfiguration", { settings: initialization })
  return offerOf(answer?.capabilities ?? {})
}

function offerOf({ textDocumentSync: sync, diagnosticProvider }: ServerCapabilities): Offer {
  const saves = typeof sync === "object" ? sync.save !== undefined && sync.save !== false : sync !== 0
  return { saves: sync !== undefined && saves, pull: diagnosticProvider && pullOf(diagnosticProvider) }
}

function pullOf(options: Partial<DiagnosticRegistrationOptions>): Pull {
  const { identifier, interFileDependencies } = options
  return {
    betweenFiles: interFileDependencies === true,
    ...(typeof identifier === "string" && { identifier }),
  }
}

function answerRequests({ connection, root, initialization, pulls, refresh }: Handshake): void {
  connection.onRequest("workspace/configuration", ({ items }: ConfigurationParams) =>
    items.map(({ section }) => settingAt(initialization, section)),
  )
  connection.onRequest("client/registerCapability", ({ registrations }: RegistrationParams) => {
    const wanted = registrations.find(({ method }) => method === "textDocument/diagnostic")
    if (wanted !== undefined) pulls(pullOf(wanted.registerOptions ?? {}))
    return null
  })
  connection.onRequest("workspace/diagnostic/refresh", () => {
    refresh()
    return null
  })
  connection.onRequest("workspace/workspaceFolders", () => [
    { uri: pathToFileURL(root).href, name: basename(root) },
  ])
  connection.onRequest("workspace/applyEdit", () => ({ applied: false }))
  connection.onRequest("window/showDocument", () => ({ success: false }))
  for (const method of [
    "client/unregisterCapability",
    "window/workDoneProgress/create",
    "window/showMessageRequest",
  ])
    connection.onRequest(method, () => null)
}

/**
 * Finds "a.b" of the settings that were handed over; all of them where no section is named. Without settings for a
 * section the answer is an empty object: several servers read fields of it unchecked and fall silent on null.
 */
function settingAt(settings: Readonly<Record<string, Json>>, section: string | undefined): Json {
  let found: Json | undefined = settings
  for (const name of (section ?? "").split(".").filter((part) => part !== "")) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return {}
    found = Object.hasOwn(found, name) ? (found as Readonly<Record<string, Json>>)[name] : undefined
  }
  return found ?? {}
}
