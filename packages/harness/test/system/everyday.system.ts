import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { GIT_ENVIRONMENT } from "@sotto/shell/git"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EVERYDAY, type Everyday } from "../../../shell/test/attacks/benign.js"
import { judgeCommand } from "../../src/execution/permissions/command-access.js"
import { Grants, gateFor } from "../../src/execution/permissions/gate.js"
import {
  childEnvironment,
  plainEnvironment,
  withVariables,
} from "../../src/execution/programs/environment.js"
import { findBash } from "../../src/execution/programs/find-program.js"
import { direct, type Launch } from "../../src/execution/programs/launch.js"
import { builtInAgents } from "../../src/settings/agents/builtin.js"
import { runNow } from "../../src/tools/bash.js"
import { shellFor } from "../../src/tools/shell.js"

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url))
const never = new AbortController().signal
/** Different each time, whether it is confined or not. */
const UNSTEADY = /\b(date|ps|env|free|uptime|df|du)\b|ls -l|cargo (check|clippy|metadata)/
/** Said of a program that is not installed here. */
const MISSING = /command not found|npm error/

let folder = ""
let cwd = ""

/** A project in which the commands have something to look at, with the real compiler and linter in it. */
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(homedir() === "/" ? tmpdir() : homedir(), ".sotto-everyday-")))
  cwd = join(folder, "project")
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  put(
    "package.json",
    JSON.stringify({
      name: "everyday",
      version: "1.0.0",
      scripts: { test: "true" },
      devDependencies: { typescript: "*", "@biomejs/biome": "*" },
    }),
  )
  put(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] }, include: ["src"] }),
  )
  put("src/a.ts", "export const a: number = 1\n")
  put("src/b.ts", "export function b(): string {\n  return 'b' // TODO\n}\n")
  put("src/a.js", "export const x = 1\n")
  put("src/main.rs", 'fn main() {\n    println!("hello");\n}\n')
  put("Cargo.toml", '[package]\nname = "everyday"\nversion = "0.1.0"\nedition = "2021"\n')
  put("Cargo.lock", 'version = 4\n\n[[package]]\nname = "everyday"\nversion = "0.1.0"\n')
  put("README.md", "# Everyday\n\nA project.\n")
  put("Makefile", "all:\n\techo hello\n")
  put("data.json", '{"name": "x", "list": [1, 2]}\n')
  put("Dockerfile", "FROM scratch\n")
  put("run", "#!/bin/sh\necho hello\n")
  for (const name of ["a", "b", "a.txt"]) put(name, `one:1\ntwo:2\n${name}:3\n`)
  for (const name of ["typescript", "@biomejs"])
    cpSync(join(ROOT, "node_modules", name), join(cwd, "node_modules", name), { recursive: true })
  execFileSync("npm", ["rebuild", "--ignore-scripts"], { cwd, stdio: "ignore" })
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, stdio: "ignore" })
  git("init", "-q")
  put(".gitignore", "node_modules\n")
  git("add", ".")
  git("-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "first")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function outcome(launch: Launch, env: ReturnType<typeof childEnvironment>) {
  const output = join(folder, `output-${Math.random()}`)
  const { content } = await runNow({ launch, env, cwd, output }, 300, { abort: never, progress: () => {} })
  // How long it took, where npm writes its log, and what npm thinks of settings that the sandbox does not show.
  const text = String(content).replace(/in \d+\s?ms|^npm (warn|notice|error A complete log).*\n?/gm, "")
  return { text, code: Number(/\[Exit code (\d+)\.\]$/.exec(text)?.[1] ?? 0) }
}

async function compared(agent: "build" | "plan", { command }: Everyday) {
  const childEnv = childEnvironment({
    ...process.env,
    CI: "1",
    npm_config_offline: "true",
    npm_config_loglevel: "error",
  })
  const env = withVariables(plainEnvironment(childEnv), GIT_ENVIRONMENT)
  const [definition] = builtInAgents().filter(({ name }) => name === agent)
  if (definition === undefined) throw new Error(`There is no agent ${agent}.`)
  const gate = gateFor(() => definition, undefined, new Grants())
  const verdict = await gate.verdict(await judgeCommand(command, cwd))
  expect(verdict).toMatchObject({ action: "allow", inside: { reach: "read-only", network: false } })
  const shell = await shellFor({ cwd, env: process.env, childEnv, withheld: [] }, verdict, gate, never)
  const confined = await outcome(await shell.launch(command), shell.env)
  const plain = await outcome(direct([findBash(cwd), "-c", command]), env)
  return { confined, plain }
}

const ran = { build: 0, plan: 0 }
const list = { build: EVERYDAY, plan: EVERYDAY.filter(({ plan }) => plan) }

describe.each(["build", "plan"] as const)(
  "an everyday command of %s runs unasked, confined, as it would outside",
  (agent) => {
    it.each(list[agent])("$command", async (one) => {
      const { confined, plain } = await compared(agent, one)
      expect(confined.code, confined.text).toBe(plain.code)
      if (MISSING.test(plain.text)) return
      if (!UNSTEADY.test(one.command)) expect(confined.text).toBe(plain.text)
      ran[agent]++
    })

    it(`and at least ${agent === "build" ? 60 : 40} of them are installed here`, () => {
      expect(ran[agent]).toBeGreaterThanOrEqual(agent === "build" ? 60 : 40)
    })
  },
)
