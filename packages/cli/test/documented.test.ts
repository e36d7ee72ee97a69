import { execFile } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { describeCommands } from "../src/commands/help.js"
import { ownOptions } from "../src/commands/subcommand.js"
import { TOPICS } from "../src/commands/topics.js"
import { benchWith, finished, TRUSTING } from "./support/sotto.js"

const described = await describeCommands()
const root = fileURLToPath(new URL("../../../", import.meta.url))

const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path)),
].map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** Command lines of shell blocks, without comments. */
const commands = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^```(?:sh|bash|console|shell)\b[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
    block
      .split("\n")
      .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
      .filter((line) => line !== "")
      .map((line) => ({ path, line })),
  ),
)

/** What is said to be typed, anywhere on a page: shell lines, and code in the text that begins with the command. */
const mentions = pages.flatMap(({ path, text }) => [
  ...[...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/`(?:npx )?(sotto(?: [^`]*)?)`/g)].map(
    ([, line = ""]) => ({ path, line: line.replace(/\s+/g, " ") }),
  ),
  // Lists of commands: what stands after two spaces explains the command.
  ...[...text.replace(/^```\S[\s\S]*?^```$/gm, "").matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(
    ([, block = ""]) =>
      block.split("\n").flatMap((line) => {
        const [typed = ""] = line.trim().split(/ {2,}/)
        return /^(?:npx )?sotto( |$)/.test(typed) ? [{ path, line: typed.replace(/^npx /, "") }] : []
      }),
  ),
  ...commands
    .filter((one) => one.path === path && /^(?:npx )?sotto\b/.test(one.line))
    .map(({ line }) => ({ path, line: line.replace(/^npx /, "") })),
])

/** Shell lines that need what this file has not, and the tests that run such lines. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npm start$/, "packages/cli/test/tour.test.ts"],
  [/^npm (?:ci|test|run [\w:]+)\b/, ".ci/run"],
  [/^npm (?:i|install) (?:-g |--global )?@?sotto\b|^npx sotto$/, "scripts/packages.mjs"],
  [/^sotto(?: --plain| "PROMPT")?$/, "packages/cli/test/tui"],
  [/^(?:git diff|echo "[^"]*") \| sotto run\b/, "packages/cli/test/scripts.test.ts"],
  [/^(?:npx )?sotto (?:[a-z]+ )?--store\b/, "packages/cli/test/store-flag.test.ts"],
  [/^sotto store copy default "postgres:/, "packages/harness/test/store-copy.test.ts"],
  [/^sotto store (?:migrate|grants) .*postgres:/, "packages/cli/test/fleet/operators.test.ts"],
  [/^sotto sessions archive .*--to \//, "packages/harness/test/store-archive.test.ts"],
  [/^sotto import ~\//, "packages/cli/test/import.test.ts"],
  [/^(?:npx )?sotto login$/, "packages/cli/test/login.test.ts"],
  [/^sotto mcp (?:list|login)\b/, "packages/cli/test/mcp-login.test.ts"],
  [/^(?:npx )?sotto tour\b/, "packages/cli/test/tour.test.ts"],
  [/^(?:npx )?sotto rehearse\b/, "packages/cli/test/rehearse.test.ts"],
  [/^(?:npx )?sotto check\b/, "packages/cli/test/check.test.ts"],
  [/^(?:npx )?sotto proxy\b/, "packages/cli/test/proxy"],
  [/^(?:npx )?sotto serve\b/, "packages/cli/test/serve.test.ts"],
  [/^(?:npx )?sotto inspect\b/, "packages/cli/test/inspector"],
  [/^(?:npx )?sotto run --input jsonl\b/, "packages/cli/test/support/sotto.ts"],
]

const isElsewhere = (line: string) => ELSEWHERE.some(([pattern]) => pattern.test(line))

/** Not a command of Sotto: what a reader has to put in. */
const SETTING = /^(?:export \w+=|git clone … && cd …|TOKEN=|sotto_api|ID=)/

describe("commands that the pages name", () => {
  it("exist, with the options that they are given", () => {
    expect(wrongIn(mentions)).toEqual([])
    expect(mentions.length).toBeGreaterThan(100)
  })

  it("are found where they are wrong", () => {
    const lines = [
      "sotto frobnicate",
      "sotto run --frobnicate",
      "sotto --frobnicate",
      "sotto help frobnicate",
      "sotto proxy -- x --frobnicate",
    ]
    const wrong = wrongIn(lines.map((line) => ({ path: "page.md", line })))
    expect(wrong.map(({ line }) => line)).toEqual(lines.slice(0, 4))
  })
})

describe("shell lines of the pages", () => {
  it("are run here, or by a test that is there", () => {
    for (const [, place] of ELSEWHERE) expect(existsSync(join(root, place)), place).toBe(true)
    const unknown = commands.filter(
      ({ path, line }) =>
        path !== "docs/server.md" && !SETTING.test(line) && !isRun(line) && !isElsewhere(line),
    )
    expect(unknown).toEqual([])
  })

  it("do what they say, one after the other, in a new folder without a key", async () => {
    const models = readFileSync(join(root, "docs/models.md"), "utf8")
    const prices = /```json\n([\s\S]*?)```/.exec(models)?.[1] ?? ""
    const bench = benchWith({ "key.txt": "sk-ant-of-a-test\n", "prices.json": prices })
    const shims = join(bench.cwd, "..", "bin")
    mkdirSync(shims)
    const command = join(root, "packages/cli/bin/sotto.js")
    shim(join(shims, "sotto"), `exec "${process.execPath}" "${command}" "$@"`)
    shim(join(shims, "npx"), 'exec "$@"')
    const env = {
      PATH: `${shims}:${process.env.PATH ?? ""}`,
      HOME: bench.home,
      SOTTO_HOME: bench.home,
      ...TRUSTING,
    }
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(join(bench.home, "sotto.json"), '{"model": "rehearsal/tour"}')
    const first = await finished(bench, ["run", "Hello", "--output", "jsonl"])
    expect(first.code).toBe(0)
    const listed = (await finished(bench, ["sessions"])).out
    const id = /^\S+/m.exec(listed)?.[0] ?? ""
    expect(id).not.toBe("")
    for (const line of [...new Set(commands.map((one) => one.line))].filter(isRun)) {
      const typed = line
        .replace(/\bID\b/g, id)
        .replace(" [DIR]", "")
        // A key of a test is not tried at the provider.
        .replace("login anthropic", "login anthropic --no-check")
      const run = promisify(execFile)("bash", ["-c", typed], { cwd: bench.cwd, env })
      await run.catch((error: unknown) => expect.fail(`${line}: ${String(error)}`))
    }
  })
})

function isRun(line: string): boolean {
  return /^(?:npx )?sotto [a-z]/.test(line) && !isElsewhere(line)
}

function shim(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** Commands that do not exist, or not with these options. */
function wrongIn(named: typeof mentions): typeof mentions {
  const known = new Map(described.map(({ name, options }) => [name, options]))
  return named.filter(({ line }) => {
    const [, first = "", second = ""] = line.split(" ")
    if (first === "help") return !(/^[A-Z]|^$/.test(second) || known.has(second) || TOPICS.has(second))
    const isOwn = first === "" || /^[-"]/.test(first)
    const options = line.replace(/ -- .*/, "").match(/(?<=[\s[])--[a-z-]+/g) ?? []
    const allowed = isOwn ? ownOptions() : [...(known.get(first) ?? []), "--help"]
    const isCommand = isOwn || known.has(first) || /^[A-Z…]/.test(first)
    return !isCommand || options.some((option) => !allowed.includes(option))
  })
}

describe("pictures of the terminal", () => {
  const folder = join(root, "docs/pictures")
  const pictures = readdirSync(folder).filter((name) => name.endsWith(".svg"))

  it.each(pictures)("%s has no text with spaces that a browser drops and stretches the rest for", (name) => {
    const texts = [
      ...readFileSync(join(folder, name), "utf8").matchAll(/<text[^>]*textLength[^>]*>([^<]*)</g),
    ]
    expect(texts.length).toBeGreaterThan(5)
    expect(texts.map(([, text = ""]) => text).filter((text) => /^ | $| {2}/.test(text))).toEqual([])
  })
})
