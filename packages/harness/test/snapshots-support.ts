import { execFileSync } from "node:child_process"
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createSession } from "@sotto/core"
import { onTestFinished } from "vitest"
import { KeptBytes } from "../src/sources/snapshots/kept-bytes.js"
import { SessionSnapshots } from "../src/sources/snapshots/session-snapshots.js"
import { WorkspaceTree } from "../src/sources/snapshots/tree.js"

const SIZES = { file: 100_000, total: 10_000_000 }

/** A workspace with its tree, and a session that works in it. */
export function workspace(
  files: Readonly<Record<string, string>>,
  { git = false, sizes = SIZES, watches = true } = {},
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-snapshots-")))
  const cwd = join(root, "work")
  mkdirSync(cwd)
  const path = (name: string) => join(cwd, name)
  const put = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text)
  if (git) {
    const run = (...args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "pipe" })
    run("init", "-q")
    run("add", "-A")
    run("-c", "user.name=T", "-c", "user.email=t@localhost", "commit", "-q", "--allow-empty", "-m", "begin")
  }
  const trees: WorkspaceTree[] = []
  const open = (
    session = createSession({
      agents: [{ name: "build" }],
      model: { id: "m" },
      now: Date.now,
      newId: () => "s",
    }),
  ) => {
    const tree = new WorkspaceTree(cwd, new KeptBytes(join(root, "kept"), sizes), {
      watches,
      leftOut: [`${cwd}/own/`],
    })
    trees.push(tree)
    const told: string[] = []
    const background = { isAtWork: false }
    const snapshots = new SessionSnapshots({
      ...{ session, cwd, host: "here", family: session.id, isOn: true },
      tree: async () => tree,
      content: () => undefined,
      isAtWork: () => background.isAtWork,
      enter: (entry) => entry(),
      onDisk: async () => {},
      report: (message) => told.push(message),
    })
    let jumps = 1_000
    return {
      ...{ session, snapshots, tree, told, background },
      /** Runs some work as the commands of a step do. */
      step: async (work: () => void, named: readonly string[] = []) => {
        const from = session.log.length - 1
        await snapshots.before("anything", named)
        work()
        await snapshots.ended()
        await snapshots.settled()
        return from
      },
      undo: async (from: number, overwrite = false) => {
        const jump = jumps++
        const plan = await snapshots.planBack(from)
        return { jump, report: await snapshots.restore("undo", jump, plan, overwrite) }
      },
      redo: async (jump: number) => {
        const plan = await snapshots.planForward(jump)
        return snapshots.restore("redo", jumps++, plan, false)
      },
    }
  }
  onTestFinished(() => {
    for (const tree of trees) tree.close()
    rmSync(root, { recursive: true, force: true })
  })
  return { root, cwd, path, put, open, state: () => stateOf(cwd) }
}

/** Everything below a folder: contents, modes, links, folders. */
function stateOf(folder: string, below = ""): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    if (name === ".git") continue
    const path = join(folder, name)
    const stat = lstatSync(path)
    const mode = (stat.mode & 0o7777).toString(8)
    if (stat.isSymbolicLink()) found[below + name] = `-> ${readlinkSync(path)}`
    else if (stat.isDirectory())
      Object.assign(found, { [`${below + name}/`]: mode }, stateOf(path, `${below + name}/`))
    else found[below + name] = `${mode} ${readFileSync(path, "base64")}`
  }
  return found
}
