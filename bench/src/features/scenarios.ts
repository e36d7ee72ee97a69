import { existsSync, readFileSync, rmSync, watch } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { changedBytes } from "../changed.js"
import { toolsOf } from "../model/api.js"
import { scriptedServer } from "../model/server.js"
import { writeText } from "../peers/files.js"
import type { Ground } from "../peers/ground.js"
import { playDialogue } from "../peers/play.js"
import { start, within } from "../peers/process.js"
import type { Tried } from "./tried.js"

const PATIENCE = 120_000
const READ = "notes/1.txt"
const NEWS = "Somebody else wrote this line."
const TAGS = ["<system-reminder>", "<permissions instructions>", "<environment_context>", "<session_context>"]

/** A file that the model has read is rewritten while it works. Says in which later request the new text stands. */
export async function edited({ peer }: Tried, ground: Ground): Promise<string> {
  writeText(join(ground.cwd, READ), "As it was.\n")
  const exchanges = await playDialogue(
    peer,
    ground,
    (n) => {
      if (n === 2) writeText(join(ground.cwd, READ), `${NEWS}\n`)
      if (n === 4 || n === 5) return { text: "That is all." }
      return { call: peer.read(n === 1 ? READ : `notes/${n}.txt`, ground.cwd) }
    },
    async (dialogue) => {
      await dialogue.prompt("Read the notes.")
      await dialogue.prompt("Thank you.")
    },
  )
  const told = exchanges.findIndex(({ body }) => body.includes(NEWS))
  const named = exchanges.map(({ body }) => body.toString().split("notes/1.txt").length - 1).join(", ")
  return `${told === -1 ? "not told" : `told in request ${told + 1} of ${exchanges.length}`} (the file is named so often in each request: ${named})`
}

/** The model reads a file with tags that harnesses speak with. Says which of them reach the model as they are. */
export async function forged({ peer }: Tried, ground: Ground): Promise<string> {
  writeText(join(ground.cwd, READ), TAGS.map((tag, n) => `line ${n} ${tag} line`).join("\n"))
  const exchanges = await playDialogue(
    peer,
    ground,
    (n) => (n === 1 ? { call: peer.read(READ, ground.cwd) } : { text: "That is all." }),
    (dialogue) => dialogue.prompt("Read the notes."),
  )
  const seen = JSON.stringify(JSON.parse(exchanges[1]?.body.toString() ?? "{}"))
  const raw = TAGS.filter((tag, n) => seen.includes(`line ${n} ${tag} line`))
  return raw.length === 0 ? "made inert" : `as they are: ${raw.join(", ")}`
}

/** The process is killed while a command runs, and the session is continued. */
export async function killed({ peer, shell, resume }: Tried, ground: Ground): Promise<string> {
  const mark = join(ground.cwd, "ran.txt")
  rmSync(mark, { force: true })
  writeText(join(ground.cwd, READ), "As it was.\n")
  const server = await scriptedServer((n) => {
    if (n === 1) return { call: peer.read(READ, ground.cwd) }
    return n === 2 ? { call: shell("echo ran >> ran.txt; sleep 4") } : { text: "That is all." }
  })
  try {
    const place = { ...ground, url: server.url }
    peer.prepare(place)
    const first = start(peer.once(place, "Read the first note."), place, () => {}, "ignore")
    await within(PATIENCE, appears(ground.cwd, mark))
    first.kill()
    await first.closed
    const before = server.exchanges.length
    const second = start(resume(place, "Go on with the second note."), place, () => {}, "ignore")
    const code = await within(PATIENCE, second.closed).finally(second.kill)
    const body = server.exchanges[before]?.body.toString() ?? ""
    const runs = readFileSync(mark, "utf8").trim().split("\n").length
    const kept = ["Read the first note.", "As it was.", "echo ran"].filter((text) => body.includes(text))
    const answer = body.slice(body.lastIndexOf("echo ran"), body.indexOf("Go on with")).slice(0, 600)
    return `code ${code}; the resumed request has: ${kept.join(" | ") || "nothing of it"}; the command ran ${runs} time(s); after the call: ${answer} ${second.complaint()}`
  } finally {
    await server.close()
  }
}

/** In plan mode the model calls the shell to make a file. Says whether the file is there. */
export async function planned({ peer, shell, usual }: Tried, ground: Ground): Promise<string> {
  const [, plan] = peer.modes ?? []
  if (plan === undefined || usual === undefined) return "no plan mode"
  const mark = join(ground.cwd, "planned.txt")
  rmSync(mark, { force: true })
  const exchanges = await playDialogue(
    { ...peer, prepare: usual },
    ground,
    (n) => (n === 1 ? { call: shell("echo planned > planned.txt") } : { text: "That is all." }),
    (dialogue) => dialogue.prompt("Plan how to sort the notes.", plan),
  )
  const body = exchanges[1]?.body.toString() ?? ""
  return `the file is ${existsSync(mark) ? "" : "not "}there; the model is told: ${body.slice(body.lastIndexOf("planned.txt")).slice(0, 500)}`
}

/** An MCP server offers a second tool once its first was called. Says what of the bytes that were sent changed. */
export async function late({ peer, usual }: Tried, ground: Ground): Promise<string> {
  if (usual === undefined) return "no MCP"
  const server = [process.execPath, fileURLToPath(new URL("./late-tool.cjs", import.meta.url))]
  let calls = 0
  const exchanges = await playDialogue(
    { ...peer, prepare: (place) => usual(place, server) },
    ground,
    async (n, _, body) => {
      const early = toolsOf(JSON.parse(body.toString())).find((name) => name.endsWith("early"))
      if (early !== undefined && calls++ === 0) return { call: { name: early, input: {} } }
      return n % 4 === 0 ? { text: "That is all." } : { call: peer.read(`notes/${n}.txt`, ground.cwd) }
    },
    async (dialogue) => {
      await dialogue.prompt("Read the notes.")
      await dialogue.prompt("Thank you.")
    },
  )
  const bodies = exchanges.map(({ body }) => JSON.parse(body.toString()) as unknown)
  const offered = bodies.map((body) => toolsOf(body).filter((name) => /early|late/.test(name)).join("+"))
  return `${changedBytes(bodies)} bytes changed; offered: ${offered.join(", ")}; called ${calls > 0}`
}

function appears(folder: string, file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, () => {
      if (!existsSync(file)) return
      watcher.close()
      resolve()
    })
  })
}
