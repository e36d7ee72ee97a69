import { existsSync, readFileSync, rmSync, watch } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { changedBytes } from "../changed.js"
import { blocksOf, toolsOf } from "../model/api.js"
import { scriptedServer } from "../model/server.js"
import { writeText } from "../peers/files.js"
import type { Ground } from "../peers/ground.js"
import { playDialogue } from "../peers/play.js"
import { start, within } from "../peers/process.js"
import type { Tried } from "./tried.js"

const PATIENCE = 120_000
const READ = "notes/1.txt"
const PROMPT = "Read the notes."
const MESSAGE = "Also mention the licence."
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
      await dialogue.prompt(PROMPT)
      await dialogue.prompt("Thank you.")
    },
  )
  const told = exchanges.findIndex(({ body }) => body.includes(NEWS))
  return told === -1 ? "not told" : `told in request ${told + 1} of ${exchanges.length}`
}

/** The model reads a file with tags that harnesses speak with. Says which of them reach the model as they are. */
export async function forged({ peer }: Tried, ground: Ground): Promise<string> {
  writeText(join(ground.cwd, READ), TAGS.map((tag, n) => `line ${n} ${tag} line`).join("\n"))
  const exchanges = await playDialogue(
    peer,
    ground,
    (n) => (n === 1 ? { call: peer.read(READ, ground.cwd) } : { text: "That is all." }),
    (dialogue) => dialogue.prompt(PROMPT),
  )
  const seen = JSON.stringify(JSON.parse(exchanges[1]?.body.toString() ?? "{}"))
  const raw = TAGS.filter((tag, n) => seen.includes(`line ${n} ${tag} line`))
  return raw.length === 0 ? "made inert" : `as they are: ${raw.join(", ")}`
}

/** The user writes a message while the model works. Says how it and the prompt stand in the requests. */
export async function steered({ peer }: Tried, ground: Ground): Promise<string> {
  const exchanges = await playDialogue(
    peer,
    ground,
    async (n, dialogue) => {
      if (n === 2) await dialogue.steer?.(MESSAGE)
      return n < 5 ? { call: peer.read(`notes/${n}.txt`, ground.cwd) } : { text: "That is all." }
    },
    (dialogue) => dialogue.prompt(PROMPT),
  )
  const requests = exchanges.map(({ body }) => blocksOf(JSON.parse(body.toString())))
  const standing = (words: string) => {
    const seen = requests.flatMap((blocks, n) =>
      blocks.filter(({ text }) => text.includes(words)).map((block) => ({ ...block, request: n + 1 })),
    )
    const ways = new Set(
      seen.map(({ role, text }) => `${role} ${text === words ? "as it is" : opening(text)}`),
    )
    return seen[0] === undefined
      ? "in no request"
      : `from request ${seen[0].request}: ${[...ways].join(", ")}`
  }
  return `the prompt ${standing(PROMPT)}; the message ${standing(MESSAGE)}`
}

/** The user stays in each mode for two prompts. Says which tagged blocks come with the prompts. */
export async function switched({ peer }: Tried, ground: Ground): Promise<string> {
  const [usual, other] = peer.modes ?? []
  const modes = [usual, usual, other, other, usual, usual]
  const exchanges = await playDialogue(
    peer,
    ground,
    () => ({ text: "That is all." }),
    async (dialogue) => {
      for (const mode of modes) await dialogue.prompt(PROMPT, mode)
    },
  )
  const turns = exchanges.map(({ body }, n) => {
    const blocks = blocksOf(JSON.parse(body.toString()))
    const last = blocks.findLastIndex(({ role }) => role === "assistant" || role === "model")
    const tags = blocks
      .slice(last + 1)
      .flatMap(({ role, text }) => (opening(text) ? [`${role} ${opening(text)}`] : []))
    return `${modes[n] ?? "prompt"}: ${tags.join(", ") || "nothing"}`
  })
  return turns.join("; ")
}

/** The tag that a text begins with; empty: none. */
function opening(text: string): string {
  return /^<[a-z][a-z _-]*>?/i.exec(text.trimStart())?.[0] ?? ""
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
    const answer = ["aborted", "Tool execution was interrupted", "No result provided"].find((words) =>
      body.includes(words),
    )
    const call = kept.includes("echo ran") ? `answered "${answer ?? "with other words"}"` : "missing"
    return `code ${code}; kept: ${kept.join(" | ") || "nothing"}; the command ran ${runs} time(s); the call is ${call}`
  } finally {
    await server.close()
  }
}

/** In plan mode the model makes a file with the shell, and another with the tool that writes. Says which are there. */
export async function planned({ peer, shell, write, usual }: Tried, ground: Ground): Promise<string> {
  const [, plan] = peer.modes ?? []
  if (plan === undefined || usual === undefined) return "no plan mode"
  const byShell = join(ground.cwd, "by-shell.txt")
  const byTool = join(ground.cwd, "by-tool.txt")
  for (const path of [byShell, byTool]) rmSync(path, { force: true })
  await playDialogue(
    { ...peer, prepare: usual },
    ground,
    (n) => {
      if (n === 1) return { call: shell("echo planned > by-shell.txt") }
      return n === 2 && write !== undefined ? { call: write(byTool, "planned") } : { text: "That is all." }
    },
    (dialogue) => dialogue.prompt("Plan how to sort the notes.", plan),
  )
  const wrote = (path: string) => (existsSync(path) ? "wrote" : "was kept from writing")
  return `the shell ${wrote(byShell)}, the tool ${write === undefined ? "was not tried" : wrote(byTool)}`
}

/** An MCP server offers a second tool once its first was called. Says what of the bytes that were sent changed. */
export async function late({ peer, usual }: Tried, ground: Ground): Promise<string> {
  if (usual === undefined) return "no MCP"
  const server = [process.execPath, fileURLToPath(new URL("./late-tool.js", import.meta.url))]
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
      await dialogue.prompt(PROMPT)
      await dialogue.prompt("Thank you.")
    },
  )
  const bodies = exchanges.map(({ body }) => JSON.parse(body.toString()) as unknown)
  const offered = bodies.map((body) =>
    toolsOf(body)
      .filter((name) => /early|late/.test(name))
      .join("+"),
  )
  if (calls === 0) return "its tools are not in the list, so none was called"
  return `${changedBytes(bodies)} bytes changed; offered in each request: ${offered.join(", ")}`
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
