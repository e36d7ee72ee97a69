import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileReason, folderFor } from "@sotto/harness"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: "sotto init [DIR]: writes a commented sotto.json and an example of a reminder; never writes over a file\n",
  options: {},
  manual: ["Configuration", "configuration.md"],
  run,
}

/** With every line uncommented it is still a valid configuration: a test does that. */
const CONFIG = `// What Sotto does in this folder. Every line is optional: remove the slashes before those that you want.
// "sotto help configuration" tells more of the fields. "sotto doctor" says whether this file is right.
{
  // "model": "anthropic/claude-opus-5-5",
  // "agent": "plan",
  // "think": "high",
  // "maxSteps": 50,

  // What agents may do without a question: allow, ask or deny. The last rule that matches wins.
  "permission": {
    // "bash": { "npm test*": "allow", "git push*": "deny" },
    // "read": { ".env*": "deny" },
  },

  // What the model is reminded of: false turns a kind off. "sotto rules" lists all kinds.
  "reminders": {
    // "date_change": false,
    // "todo_reminder": { "throttle": { "steps": 20 } },
  },

  // Programs that Sotto starts. They run only where you trust the folder.
  // "mcp": { "docs": { "command": "npx", "args": ["some-mcp-server"] } },
  // "lsp": { "typescript": true },
  // "hooks": { "after_tool": [{ "name": "format", "match": "edit|write", "command": "npm run format" }] },
}
`

const REMINDER = `---
on: file.edited
when: path = CHANGELOG.md
limit: 3
---

Somebody else changed {{path}}. Read it again before you add an entry.
`

/** Files that a project starts with, by their path in its folder. */
const FILES: Readonly<Record<string, string>> = {
  "sotto.json": CONFIG,
  ".sotto/reminders/changelog.md": REMINDER,
}

/** Writes a commented `sotto.json` and an example of a reminder into a folder. Never writes over a file. */
async function run(args: readonly string[]): Promise<number> {
  const [given = ".", ...more] = args
  if (more.length > 0 || given.startsWith("-"))
    throw new UsageError("sotto init takes one folder, or none for this one.")
  const folder = resolve(given)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${given} is not a folder. Make it first, or name another one.`)
  const made = Object.entries(FILES).filter(([path, text]) => write(join(folder, path), text))
  for (const path of Object.keys(FILES)) {
    const isNew = made.some(([one]) => one === path)
    out.line(`${isNew ? "wrote" : "kept "} ${relative(process.cwd(), join(folder, path))}`)
  }
  const root = folderFor({ cwd: folder, env: process.env })
  if (made.length > 0)
    out.line(
      `Both take effect once you trust ${root}: \`sotto\` asks you, or \`sotto trust add\` says so now.`,
    )
  return EXIT.done
}

/** Returns false if the file is there already. */
function write(path: string, text: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: "wx" })
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST" && isFile(path)) return false
    throw new UsageError(`${path} cannot be written: ${fileReason(error)}`)
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
