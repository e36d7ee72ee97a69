import { writeFileSync } from "node:fs"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { judgeCommand } from "../../src/permissions/shell/accesses.js"
import { CHECKS, type Check, type Checks, EVERY_CHECK } from "../../src/permissions/shell/checks.js"
import { BENIGN } from "./benign.js"
import { ATTACKS } from "./families.js"
import { GRAMMARS, mutated, randomFrom } from "./fuzz.js"
import { PAYLOAD, type Scratch, scratchFolder } from "./scratch.js"

const long = process.env.SOTTO_ATTACKS === "long"
const ROUNDS = long ? 20_000 : 400
const MINUTE = 60_000

let scratch: Scratch
beforeAll(async () => {
  scratch = await scratchFolder()
})
afterAll(() => scratch.close())

async function isRead(
  script: string,
  checks: Checks = EVERY_CHECK,
  folder = scratch.folder,
): Promise<boolean> {
  const accesses = await judgeCommand(script, folder, checks)
  return accesses.every(
    ({ permission, effect }) => permission !== "edit" && (permission !== "bash" || effect === "read"),
  )
}

/** What a script changes although it was judged to read. */
async function offence(script: string, checks?: Checks, where = scratch): Promise<string | undefined> {
  const ready = script.replaceAll("PORT", String(where.port))
  if (!(await isRead(ready, checks, where.folder))) return undefined
  const changed = await where.run(ready)
  return changed === undefined ? undefined : `${JSON.stringify(ready)} changed ${changed}`
}

describe("the corpus of shell scripts", () => {
  it("has at least 600 attacks and 150 benign scripts, all different", () => {
    const attacks = Object.values(ATTACKS).flat()
    expect(new Set(attacks).size).toBeGreaterThanOrEqual(600)
    expect(new Set(BENIGN).size).toBeGreaterThanOrEqual(150)
  })

  it.each(Object.keys(ATTACKS))(
    "%s: nothing that is judged to read changes anything",
    async (family) => {
      const offences: string[] = []
      for (const script of ATTACKS[family] ?? []) {
        const found = await offence(script)
        if (found !== undefined) offences.push(found)
      }
      expect(offences).toEqual([])
    },
    MINUTE,
  )

  it(
    "judges all benign scripts to read, and they change nothing",
    async () => {
      const refused: string[] = []
      const offences: string[] = []
      for (const script of BENIGN) {
        if (!(await isRead(script))) refused.push(script)
        const found = await offence(script)
        if (found !== undefined) offences.push(found)
      }
      expect({ refused, offences }).toEqual({ refused: [], offences: [] })
    },
    MINUTE,
  )
})

describe("the fuzzer", () => {
  it(
    "finds no script that is judged to read and changes something",
    async () => {
      const random = randomFrom(long ? Date.now() : 15)
      const offences: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        for (const grammar of Object.values(GRAMMARS)) {
          if (round % 8 > 0) break
          const found = await offence(grammar(random))
          if (found !== undefined) offences.push(found)
        }
        const found = await offence(mutated(random))
        if (found !== undefined) offences.push(found)
      }
      expect(offences).toEqual([])
    },
    60 * MINUTE,
  )

  it.each(Object.keys(GRAMMARS) as Check[])(
    "finds the family again when its check is taken out: %s",
    async (family) => {
      const others = new Set(CHECKS.filter((check) => check !== family))
      const random = randomFrom(3)
      let found: string | undefined
      for (let round = 0; round < 4_000 && found === undefined; round++)
        found = await offence(GRAMMARS[family]?.(random) ?? "", others)
      expect(found).toContain("changed")
    },
    MINUTE,
  )
})

const HOSTILE: Readonly<Record<string, string>> = {
  fsmonitor: `[core]\n\tfsmonitor = "${PAYLOAD};:"`,
  hooks: "[core]\n\thooksPath = .",
  pager: `[core]\n\tpager = "${PAYLOAD};cat"`,
  "pager of a command": `[pager]\n\tlog = "${PAYLOAD};cat"`,
  "external diff": `[diff]\n\texternal = "${PAYLOAD};:"`,
  "diff driver": `[diff "x"]\n\tcommand = "${PAYLOAD};:"`,
  "text converter": `[diff "x"]\n\ttextconv = "${PAYLOAD};cat"`,
  "clean filter": `[filter "x"]\n\tclean = "${PAYLOAD};cat"\n\tsmudge = "${PAYLOAD};cat"\n\trequired`,
  "filter process": `[filter "x"]\n\tprocess = "${PAYLOAD};cat"`,
  alias: `[alias]\n\tx = "!${PAYLOAD}"\n\tlog = "!${PAYLOAD}"`,
  "ssh command": `[core]\n\tsshCommand = "${PAYLOAD};:"`,
  "gpg program": `[gpg]\n\tprogram = ./run\n[log]\n\tshowSignature = true`,
  askpass: `[core]\n\taskPass = ./run`,
  editor: `[core]\n\teditor = "${PAYLOAD};:"`,
  credential: `[credential]\n\thelper = "!${PAYLOAD}"`,
  include: "[include]\n\tpath = ../more",
  "conditional include": '[includeIf "gitdir:/"]\n\tpath = ../more',
  "continued line": `[core]\n\tignorecase = fal\\\nse\n[diff "x"]\n\ttextconv = "${PAYLOAD};cat"`,
  "section in one line": `[core] ignorecase = false\n[diff "x"] textconv = "${PAYLOAD};cat"`,
  "section in old form": `[diff.x]\n\ttextconv = "${PAYLOAD};cat"`,
}

describe("a hostile repository", () => {
  const commands = BENIGN.filter((script) => script.includes("git "))
  const hostile = (config: string) => (folder: string) => {
    writeFileSync(
      join(folder, "more"),
      `[diff "x"]\n\ttextconv = "${PAYLOAD};cat"\n[filter "x"]\n\tclean = "${PAYLOAD};cat"\n`,
    )
    writeFileSync(join(folder, ".git", "info", "attributes"), "* diff=x filter=x\n")
    writeFileSync(join(folder, "b"), "touched\n")
    writeFileSync(
      join(folder, ".git", "config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${config}\n`,
    )
  }

  it.each(Object.keys(HOSTILE))(
    "runs nothing of its own: %s",
    async (name) => {
      const place = await scratchFolder(hostile(HOSTILE[name] ?? ""))
      const offences: string[] = []
      for (const script of commands) {
        const found = await offence(script, EVERY_CHECK, place)
        if (found !== undefined) offences.push(found)
      }
      place.close()
      expect(offences).toEqual([])
    },
    MINUTE,
  )

  it("is found by the same commands when its configuration is not looked at", async () => {
    const others = new Set(CHECKS.filter((check) => check !== "git repository"))
    const place = await scratchFolder(hostile(HOSTILE["text converter"] ?? ""))
    const found = await Promise.all(["git diff"].map((script) => offence(script, others, place)))
    place.close()
    expect(found[0]).toContain("pwned")
  })

  it("runs nothing when it lies inside another one as plain files", async () => {
    const place = await scratchFolder()
    await place.run("git init -q --bare src/bare")
    await appendFile(
      join(place.folder, "src/bare/config"),
      `[core]\n\tfsmonitor = "${PAYLOAD};:"\n\tworktree = ..\n`,
    )
    expect(await place.run("cd src/bare && git status; git log; git diff")).toBeUndefined()
    place.close()
  })
})
