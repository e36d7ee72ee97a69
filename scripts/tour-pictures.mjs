// Records the real command in a pseudo-terminal, and writes what is on its screen to docs/pictures/*.svg.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { svgOf } from "./pictures/svg.mjs"
import { openTerminal } from "./pictures/terminal.mjs"
import { root } from "./process.mjs"

const ENTER = "\r"
const CTRL_X = "\u0018"
const README = "# Weather\n\nTells the weather of the week.\n\n- TODO: a licence\n"
const SOURCE = `export function week(days: number[]) {\n  let sum = 0\n  for (const day of days) sum += day\n  return sum\n}\n`

const home = mkdtempSync(join(tmpdir(), "sotto-pictures-"))
const cwd = join(home, "weather")
mkdirSync(join(cwd, "src"), { recursive: true })
writeFileSync(join(cwd, "README.md"), README)
writeFileSync(join(cwd, "src/week.ts"), SOURCE)
const env = { PATH: process.env.PATH, HOME: home, SOTTO_HOME: join(home, ".sotto"), TERM: "xterm-256color" }

try {
  await tour()
  await permission()
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Without a key: the tour, in which somebody says something meanwhile. */
async function tour() {
  const terminal = openTerminal({ cwd, env, rows: 36 })
  try {
    await terminal.see("starts a short tour")
    terminal.type(CTRL_X)
    await terminal.see("Show me around.")
    terminal.type("And mind the licence, please.")
    await terminal.see("licence, please.")
    terminal.type(ENTER)
    await terminal.see("at the next step: And mind")
    picture(terminal, "queued", "A message typed while the agent works waits for the next step")
    await terminal.see("reached the agent at step")
    await terminal.see(/told queued_command/)
    await terminal.see("The harness told me while I worked")
    picture(terminal, "delivered", "The message in its place, and below it what the model was told of it")
    await terminal.see("❯ 1 Allow once")
    terminal.type(ENTER)
    await terminal.see("❯ 1 Approve, and accept edits")
    terminal.type(ENTER)
    await terminal.see("That was the tour.")
    terminal.type(`/asides${ENTER}`)
    await terminal.see("Asides: what the model was told")
    picture(
      terminal,
      "asides",
      "The ledger: what the model was told, how often, for how many tokens, and why rules kept silent",
    )
  } finally {
    terminal.close()
  }
}

/** A change that has to be allowed, and an answer with code in it. */
async function permission() {
  const { startRehearsal } = await import(join(root, "packages/rehearsal/dist/index.js"))
  const todos = (done) =>
    ["Read the code", "Fix the sum", "Run the tests"].map((content, i) => ({
      content,
      status: i < done ? "completed" : i === done ? "in_progress" : "pending",
    }))
  const steps = [
    {
      text: "I look at how the week is added up.",
      calls: [
        { name: "todo_write", input: { todos: todos(0) } },
        { name: "read", input: { path: "src/week.ts" } },
      ],
    },
    {
      text: "`week` adds up the days, but a week's weather is their **mean**. I change that.",
      calls: [
        { name: "todo_write", input: { todos: todos(1) } },
        {
          name: "edit",
          input: {
            path: "src/week.ts",
            old: "  return sum\n",
            new: "  return days.length === 0 ? 0 : sum / days.length\n",
          },
        },
      ],
    },
    { text: "Done." },
  ]
  const server = await startRehearsal({ script: steps })
  const reaching = { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" }
  const terminal = openTerminal({
    cwd,
    env: reaching,
    args: ["--model", "anthropic/claude-opus-5-5"],
    rows: 32,
  })
  try {
    await terminal.see("say what to do")
    terminal.type(`The weekly temperature is far too high.${ENTER}`)
    await terminal.see("and Enter, or a number")
    picture(terminal, "permission", "A change is shown as a diff before it is allowed")
  } finally {
    terminal.close()
    await server.close()
  }
}

function picture(terminal, name, title) {
  const folder = join(root, "docs/pictures")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.svg`), svgOf(terminal, title))
  console.log(`docs/pictures/${name}.svg`)
}
