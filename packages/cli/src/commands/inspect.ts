import { statSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { openExistingStore, storePlace } from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { err, out } from "../screen/printer.js"
import { openBrowser } from "../server/browser.js"
import { askServer, findServer } from "../server/find-server.js"
import { EXIT, UsageError } from "../usage.js"
import { fullSessionId } from "./open-store.js"
import { ended, portOf } from "./serve.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  port: { type: "string", value: "N", help: "a free one unless given" },
  "no-open": { type: "boolean", help: "only print the address" },
  store: {
    type: "string",
    value: "PLACE",
    help: "the sessions of that store: the path of a file, or postgres://user@host/database",
  },
  /** Ends when standard input does: for a terminal that has started it. */
  attached: { type: "boolean", isInternal: true },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto inspect [ID|FILE] [--port N] [--no-open]: a page that shows what the model saw

  ID                     a session; FILE: a recording of sotto proxy, a HAR file, or a session file of another agent
${optionRows(OPTIONS, 25)}

The address is printed, and opened where there is a display. It lets one browser in, once, within two minutes. If a server
of yours runs already, its page is opened; otherwise one runs until Ctrl+C.
`,
  options: OPTIONS,
  manual: ["See what the model saw", "../inspector.md"],
  run,
}

type Subject =
  | { readonly is: "list" }
  | { readonly is: "session"; readonly id: string }
  | { readonly is: "file"; readonly path: string }

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (positionals.length > 1) throw new UsageError("One session or file at a time: sotto inspect [ID|FILE].")
  const subject = await subjectOf(positionals[0])
  const show = (address: string) => {
    out.line(address)
    if (!values["no-open"]) openBrowser(address, process.env)
  }
  const tell = (line: string) => err.line(`sotto: ${line} A server of its own shows the page.`)
  const running = values.port === undefined ? await findServer(process.env, tell) : undefined
  if (running !== undefined) {
    const to = await askServer(running, subject)
    show(`${running.url}${to}`)
    return EXIT.done
  }
  // Loaded here, because completions load this file for its options alone.
  const { startServer } = await import("../server/server.js")
  const leaving = watchForLeaving()
  const server = await startServer({ env: process.env, port: portOf(values.port, 0), host: "127.0.0.1" })
  const id = subject.is === "file" ? server.show(subject.path) : undefined
  show(`http://127.0.0.1:${server.port}${server.link(placeOf(subject, id))}`)
  err.line("The link works once, for two minutes. Ctrl+C ends the server.")
  const left = values.attached ? Promise.race([ended(leaving.signal), inputEnded()]) : ended(leaving.signal)
  await left
  await server.close()
  leaving.stop()
  return EXIT.done
}

export function placeOf(subject: Subject, traceId: string | undefined): string {
  if (subject.is === "session") return `/s/${encodeURIComponent(subject.id)}`
  return traceId === undefined ? "/" : `/t/${encodeURIComponent(traceId)}`
}

async function subjectOf(given: string | undefined): Promise<Subject> {
  if (given === undefined) return { is: "list" }
  const found = statSync(given, { throwIfNoEntry: false })
  if (found?.isFile()) return { is: "file", path: resolve(given) }
  const store = await openExistingStore(storePlace(process.env))
  try {
    const all = (await store?.list()) ?? []
    const id = await fullSessionId({ list: () => all }, given)
    if (all.some((one) => one.id === id)) return { is: "session", id }
  } finally {
    await store?.close()
  }
  throw new UsageError(
    `There is no file or session "${given}". Give the path of a recording, or an id that \`sotto sessions\` lists.`,
  )
}

function inputEnded(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on("end", () => resolve())
    process.stdin.on("error", () => resolve())
    process.stdin.resume()
  })
}
