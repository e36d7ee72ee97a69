import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { completionScript, SHELLS } from "../src/commands/completion.js"
import { describeCommands } from "../src/commands/help.js"
import { rowOf } from "../src/commands/table.js"
import { commandsPage, manual } from "./reference.js"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string
}
const described = await describeCommands()
const folder = new URL("../src/commands/", import.meta.url)
const known = readdirSync(folder)
  .filter((file) => readFileSync(new URL(file, folder), "utf8").includes("export const subcommand:"))
  .map((file) => file.replace(/\.ts$/, ""))

/** What bash offers after these words, the last of which is being typed. */
function offeredByBash(...words: readonly string[]): readonly string[] {
  const line = ["sotto", ...words]
  const script = `${completionScript("bash", described)}
COMP_WORDS=(${line.map((word) => `'${word}'`).join(" ")}) COMP_CWORD=${words.length}
_sotto
printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" }).trim().split("\n")
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

describe("the manual", () => {
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
    expect(offeredByBash("re")).toEqual(["rehearse"])
    expect(offeredByBash("check", "--max")).toEqual(["--max-breaks", "--max-reminders"])
    expect(offeredByBash("run", "--th")).toEqual(["--think"])
    expect(offeredByBash("--pl")).toEqual(["--plain"])
    // Files are the shell's own affair.
    expect(offeredByBash("check", "rec")).toEqual([""])
  })

  it.each(SHELLS)("for %s name every command and option", (shell) => {
    const script = completionScript(shell, described)
    for (const { name, options } of described)
      for (const word of [name, ...options.map((option) => (shell === "fish" ? option.slice(2) : option))])
        expect(script).toMatch(new RegExp(`[ '(]${word}[ '):\\n]`))
  })
})
