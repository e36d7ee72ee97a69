import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { checkSettings } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { completionScript, SHELLS } from "../src/commands/completion.js"
import { describeCommands } from "../src/commands/help.js"
import { rowOf, SUBCOMMANDS } from "../src/commands/table.js"
import { TOPICS } from "../src/commands/topics.js"
import { commandsPage, helpOn, manual } from "./reference.js"
import { type Bench, benchWith, finished, reaching, serverWith } from "./support/sotto.js"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string
}
const described = await describeCommands()
const folder = new URL("../src/commands/", import.meta.url)
const known = readdirSync(folder)
  .filter((file) => readFileSync(new URL(file, folder), "utf8").includes("export const subcommand:"))
  .map((file) => file.replace(/\.ts$/, ""))

const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))

/** What bash offers after these words, the last of which is being typed. It splits words as its line editor does. */
function offeredByBash(words: readonly string[], bench?: Bench): readonly string[] {
  const line = [
    "sotto",
    ...words.flatMap((word) => (word === "" ? [word] : word.split(/(?<=[:=])|(?=[:=])/))),
  ]
  const script = `${completionScript("bash", described)}
COMP_WORDS=(${line.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${line.length - 1}
_sotto
printf '%s\n' "\${COMPREPLY[@]}"`
  const options = bench && { cwd: bench.cwd, env: { PATH: pathWith(bench), SOTTO_HOME: bench.home } }
  return execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8", ...options })
    .trim()
    .split("\n")
}

/** A search path on which the command that is being tested is `sotto`. */
function pathWith({ home }: Bench): string {
  const folder = join(home, "bin")
  mkdirSync(folder, { recursive: true })
  const program = join(folder, "sotto")
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  chmodSync(program, 0o755)
  return `${folder}:${process.env.PATH}`
}

/** A store with one session, which was opened by these words. */
async function benchWithSession(prompt: string) {
  const bench = benchWith()
  const server = await serverWith([{ text: "Done." }])
  const run = await finished(
    bench,
    ["run", "--model", "anthropic/claude-sonnet-4-5", "--output", "json", "--", prompt],
    reaching(server.url),
  )
  return { bench, id: (JSON.parse(run.out) as { session: string }).session }
}

describe("the help", () => {
  it("describes every command that there is, each with a page of its own", async () => {
    const names = described.map(({ name }) => name)
    expect([...names].sort()).toEqual([...known].sort())
    for (const { name, help } of described) {
      expect(help, name).toMatch(new RegExp(`^sotto ${name}\\b`))
      expect((await rowOf(name).load()).subcommand.help).toBe(help)
    }
  })
})

describe("sotto help TOPIC", () => {
  it("prints a page that fits a terminal, and names only what there is", async () => {
    for (const name of TOPICS.keys()) {
      expect(SUBCOMMANDS.has(name), name).toBe(false)
      const text = await helpOn(name)
      for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(120)
      for (const [, topic = ""] of text.matchAll(/sotto help ([a-z][a-z-]*)/g))
        await expect(helpOn(topic)).resolves.not.toBe("")
      for (const [, command = ""] of text.matchAll(/sotto ([a-z]+) --help/g))
        expect(SUBCOMMANDS.has(command), command).toBe(true)
      for (const [example] of text.matchAll(/^ {2}\{\n[\s\S]*?^ {2}\}$|\{ "[a-z]+": \{.*\} \}/gm))
        expect(() => checkSettings(example, "sotto.json"), example).not.toThrow()
    }
  })

  it("names only variables that Sotto or Node reads", async () => {
    const sources = ["cli", "harness"].flatMap((name) => {
      const src = fileURLToPath(new URL(`../../${name}/src/`, import.meta.url))
      return readdirSync(src, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !file.endsWith("topics.ts"))
        .map((file) => readFileSync(join(src, file), "utf8"))
    })
    const code = sources.join("\n")
    const names = (await helpOn("environment")).match(/\b[A-Z][A-Z_]{5,}\b/g) ?? []
    expect(names).toContain("SOTTO_HOME")
    for (const name of names) expect(code.includes(name), name).toBe(true)
  })

  it("is the help of a command too, and suggests what was meant", async () => {
    const bench = benchWith()
    const said = (...args: readonly string[]) => finished(bench, ["help", ...args])
    expect((await said("exit-codes")).out).toContain("the command line is wrong")
    expect((await said("keys")).out).toMatch(/^ {2}Ctrl\+O +unfold +show calls and thoughts in full/m)
    expect((await said("mcp")).out).toBe((await rowOf("mcp").load()).subcommand.help)
    expect((await said()).out).toContain(`sotto help TOPIC          ${[...TOPICS.keys()].join(", ")}`)
    const wrong = await said("permisions")
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain("Did you mean `sotto help permissions`?")
    expect((await said("keys", "undo")).code).toBe(2)
  })
})

describe("the manual", () => {
  it("is named in a list, because npm links no page that is named by a text", () => {
    const { man } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      man: unknown
    }
    expect(man).toEqual(["man/sotto.1"])
  })

  it("is the one that the help gives; `npm run docs` writes it anew", async () => {
    await expect(await manual(version)).toMatchFileSnapshot("../man/sotto.1")
  })

  it("lets no line of the help become a request to roff", async () => {
    const requests = (await manual(version)).split("\n").filter((line) => /^[.']/.test(line))
    for (const line of requests) expect(line).toMatch(/^\.(TH|SH|SS|nf|fi|TP|I)( |$)/)
  })
})

describe("docs/reference/commands.md", () => {
  it("is what the help says; `npm run docs` writes it anew", async () => {
    await expect(await commandsPage()).toMatchFileSnapshot("../../../docs/reference/commands.md")
  })
})

describe("completions", () => {
  it("offer commands first, then the options of the command", () => {
    expect(offeredByBash(["re"])).toEqual(["rehearse"])
    expect(offeredByBash(["check", "--max"])).toEqual(["--max-breaks", "--max-reminders"])
    expect(offeredByBash(["run", "--th"])).toEqual(["--think"])
    expect(offeredByBash(["--pl"])).toEqual(["--plain"])
    // Files are the shell's own affair.
    expect(offeredByBash(["check", "rec"])).toEqual([""])
  })

  it("offer ids of sessions, wherever a command takes one", async () => {
    const { bench, id } = await benchWithSession("Hello.")
    for (const words of [
      ["show", ""],
      ["asides", id.slice(0, 4)],
      ["export", ""],
      ["fork", ""],
      ["inspect", ""],
      ["sessions", "delete", ""],
      ["sessions", "repair", id.slice(0, 9)],
      ["run", "--session", ""],
      ["--session", ""],
      ["run", `--session=${id.slice(0, 2)}`],
    ])
      expect(offeredByBash(words, bench), words.join(" ")).toEqual([id])
    expect(offeredByBash(["show", "nothing-begins-so"], bench)).toEqual([""])
    // The prompt after the id is the user's own.
    expect(offeredByBash(["fork", id, ""], bench)).toEqual([""])
    const elsewhere = join(bench.home, "elsewhere.db")
    expect(offeredByBash(["show", "--store", elsewhere, ""], bench)).toEqual([""])
    expect(existsSync(elsewhere)).toBe(false)
  })

  it("offer models, thinking levels, agents, servers and topics", () => {
    const bench = benchWith()
    mkdirSync(bench.home)
    writeFileSync(
      join(bench.home, "sotto.json"),
      JSON.stringify({
        models: { "openai-chat/local:7b": { contextWindow: 8000 } },
        agents: { reviewer: { description: "Reviews." } },
        mcp: { docs: { command: "none" }, drafts: { command: "none" } },
      }),
    )
    expect(offeredByBash(["--model", "anthropic/claude-opus-5-"], bench)).toEqual([
      "anthropic/claude-opus-5-5",
    ])
    expect(offeredByBash(["run", "-m", "anthropic/claude-opus-5-"], bench)).toEqual([
      "anthropic/claude-opus-5-5",
    ])
    // Only what follows the colon is replaced.
    expect(offeredByBash(["run", "--model", "openai-chat/local:"], bench)).toEqual(["7b"])
    expect(offeredByBash(["run", "--think", "m"], bench)).toEqual(["medium", "max"])
    expect(offeredByBash(["run", "--think="], bench)).toEqual(["off", "low", "medium", "high", "max"])
    expect(offeredByBash(["run", "--agent", "rev"], bench)).toEqual(["reviewer"])
    expect(offeredByBash(["mcp", "log"], bench)).toEqual(["login", "logout"])
    expect(offeredByBash(["mcp", "show", "d"], bench)).toEqual(["docs", "drafts"])
    expect(offeredByBash(["help", "ex"], bench)).toEqual(["exit-codes", "export"])
  })

  it("say nothing where something is wrong", () => {
    const bench = benchWith({ "sotto.json": "{ this is no JSON" })
    mkdirSync(bench.home, { recursive: true })
    writeFileSync(join(bench.home, "sotto.json"), "{ nor is this")
    writeFileSync(join(bench.home, "broken.db"), "no database at all")
    expect(offeredByBash(["--model", ""], bench)).toEqual([""])
    expect(offeredByBash(["show", "--store", join(bench.home, "broken.db"), ""], bench)).toEqual([""])
    expect(offeredByBash(["show", "--store", "postgres://127.0.0.1:1/none", ""], bench)).toEqual([""])
    expect(offeredByBash(["show", "--store", ""], bench)).toEqual([""])
  })

  it("offer nothing that would do something in a command line", async () => {
    const { bench, id } = await benchWithSession(
      "$(touch pwned) `touch pwned` \t\u001b]0;pwned\u0007\n; touch pwned",
    )
    const names = [
      "$(touch pwned)",
      "`touch pwned`",
      "; touch pwned",
      "--force",
      "a b",
      "a\nb",
      "\u001b[31mred",
      "~root",
    ]
    const mcp = Object.fromEntries([...names, "good"].map((name) => [name, { command: "none" }]))
    const models = Object.fromEntries(names.map((name) => [`openai/${name}`, { contextWindow: 8000 }]))
    writeFileSync(join(bench.home, "sotto.json"), JSON.stringify({ mcp, models }))
    expect(offeredByBash(["mcp", "remove", ""], bench)).toEqual(["good"])
    expect(offeredByBash(["show", ""], bench)).toEqual([id])
    for (const model of offeredByBash(["--model", ""], bench)) expect(model).toMatch(/^[\w./:@+-]+$/)
    const { out } = await finished(bench, ["completion", "--values", "--", "show", ""])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(out).toMatch(/^[0-9a-f-]{36}\t[^\u0000-\u001f]*\n$/)
    expect(existsSync(join(bench.cwd, "pwned"))).toBe(false)
  })

  it.each(SHELLS)("for %s name every command and option", (shell) => {
    const script = completionScript(shell, described)
    for (const { name, options } of described)
      for (const word of [name, ...options.map((option) => (shell === "fish" ? option.slice(2) : option))])
        expect(script).toMatch(new RegExp(`[ '(]${word}[ '):\\n]`))
  })
})
