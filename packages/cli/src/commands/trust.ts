import { statSync } from "node:fs"
import { resolve } from "node:path"
import {
  folderFor,
  forgetTrust,
  printable,
  readAnswers,
  readKept,
  trustedThrough,
  trustFile,
  trustNow,
} from "@sotto/harness"
import { itemText } from "../output/trust.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: `sotto trust [list|add|remove] [DIR]: which folders you trust

  sotto trust               the folders you trust, and what you saw when you said so
  sotto trust add [DIR]     trust a folder with what it brings along now; shows what that is
  sotto trust remove [DIR]  trust it no longer

DIR is the current directory unless given. A folder is the root of its git repository, or the directory itself.
Directories below it and worktrees that git knows of belong to it; another clone inside it does not.

In a folder that you do not trust, its instruction files and skills are read as the folder's text, and rules that
tighten permissions count. Everything else is left out: hooks, MCP and language servers, agents, styles, reminders,
rules that allow something, models, programs in its node_modules. When what a folder brings along changes, you are
asked again. For one run: --trust, or SOTTO_TRUST=1.
`,
  options: {},
  manual: ["Trust", "../trust.md"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [action = "list", given, ...more] = args
  if (more.length > 0) throw new UsageError("One folder at a time: sotto trust add DIR.")
  const { problem } = readKept(process.env)
  if (problem !== undefined) err.line(`sotto: ${problem}`)
  switch (action) {
    case "list":
      if (given !== undefined) throw new UsageError("sotto trust list takes no folder.")
      return list()
    case "add":
      return add(folderAt(given))
    case "remove":
      return remove(given)
    default:
      throw new UsageError(`sotto trust ${action}: use list, add or remove.`)
  }
}

function list(): number {
  const answers = [...readAnswers(process.env)].sort(([a], [b]) => (a < b ? -1 : 1))
  if (answers.length === 0) say("You trust no folder yet. `sotto trust add` trusts this one.")
  for (const [folder, { at, items }] of answers) {
    say(`${printable(folder)}  (since ${new Date(at).toISOString().slice(0, 10)})`)
    for (const item of items) say(`  ${printable(itemText(item))}`)
  }
  return EXIT.done
}

async function add(cwd: string): Promise<number> {
  const { folder, items } = await trustNow({ cwd, env: process.env })
  say(`${printable(folder)} is trusted from now on, kept in ${trustFile(process.env)}.`)
  if (items.length === 0) say("It brings nothing along that would need it.")
  for (const item of items) say(`  ${itemText(item)}`)
  return EXIT.done
}

/** Removes a folder from the list, also one that has been deleted. */
function remove(given: string | undefined): number {
  const path = resolve(given ?? ".")
  const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const folder = isThere ? folderFor({ cwd: path, env: process.env }) : path
  const isForgotten = forgetTrust(process.env, folder)
  const main = isThere ? trustedThrough(folder, process.env) : undefined
  if (main !== undefined) {
    const use = `Use: sotto trust remove ${printable(main)}`
    err.line(`sotto: ${printable(folder)} is trusted because it is a worktree of ${printable(main)}. ${use}`)
    return EXIT.failed
  }
  if (isForgotten) {
    say(`${printable(folder)} is trusted no longer.`)
    return EXIT.done
  }
  err.line(`sotto: ${printable(folder)} was not trusted. \`sotto trust list\` shows which are.`)
  return EXIT.failed
}

function folderAt(given = "."): string {
  const path = resolve(given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path
  throw new UsageError(`sotto trust add ${given}: there is no such folder.`)
}

function say(line: string): void {
  out.line(line)
}
