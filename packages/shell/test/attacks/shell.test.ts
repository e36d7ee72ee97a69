import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { CHECKS, type Check, type Checks, EVERY_CHECK } from "../../src/checks.js"
import { judge } from "../../src/index.js"
import { surveyCommand } from "../../src/survey.js"
import { BENIGN, EVERYDAY } from "./benign.js"
import { ATTACKS } from "./families.js"
import { GRAMMARS, mutated, randomFrom, wrapped } from "./fuzz.js"
import { git, PAYLOAD, type Scratch, scratchFolder } from "./scratch.js"

const long = process.env.SOTTO_ATTACKS === "long"
const ROUNDS = long ? 500 : 6
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
  const { touches } = await surveyCommand(script, folder, checks)
  return touches.every((touch) => touch.is !== "write" && (touch.is !== "run" || touch.effect === "read"))
}

/** Scripts that change something although they were judged to read, and what they change. */
async function offencesOf(
  scripts: readonly string[],
  checks?: Checks,
  where = scratch,
  most = 20,
): Promise<readonly string[]> {
  const read: string[] = []
  for (const script of scripts) {
    const ready = script.replaceAll("PORT", String(where.port))
    if (await isRead(ready, checks, where.folder)) read.push(ready)
  }
  const found: string[] = []
  for (let at = 0; at < read.length; at += 50) {
    const some = read.slice(at, at + 50)
    if ((await where.run(...some)) === undefined) continue
    for (const script of some) {
      const changed = await where.run(script)
      if (changed !== undefined) found.push(`${JSON.stringify(script)} changed ${changed}`)
      // One is enough to show where to look; the rest is likely the same.
      if (found.length >= most) return found
    }
    if (found.length === 0) found.push(`together: ${JSON.stringify(some)}`)
  }
  return found
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
      expect(await offencesOf(ATTACKS[family] ?? [])).toEqual([])
    },
    MINUTE,
  )

  it(
    "judges all benign scripts to read, and they change nothing",
    async () => {
      const refused: string[] = []
      for (const script of BENIGN) if (!(await isRead(script))) refused.push(script)
      const offences = await offencesOf(BENIGN)
      expect({ refused, offences }).toEqual({ refused: [], offences: [] })
    },
    MINUTE,
  )
})

describe("what agents run every day", () => {
  it("is at least 60 commands of build and 40 of plan", () => {
    expect(new Set(EVERYDAY.map(({ command }) => command)).size).toBe(EVERYDAY.length)
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(60)
    expect(EVERYDAY.filter(({ plan }) => plan).length).toBeGreaterThanOrEqual(40)
  })

  it("counts as reading, or as reading where a sandbox confines it", async () => {
    const found = []
    for (const { command, plan } of EVERYDAY) {
      const { runs: commands } = await judge(command, { cwd: scratch.folder })
      const isFine = commands.every(({ effect, confinable }) => effect === "read" || confinable)
      const build = commands.some(({ confinable }) => confinable) ? "confinable" : "read"
      found.push({ command, build: isFine ? build : "refused", plan })
    }
    expect(found).toEqual(EVERYDAY)
  })

  it(
    "changes nothing if it counts as reading",
    async () => {
      const reading = EVERYDAY.filter(({ build }) => build === "read").map(({ command }) => command)
      expect(await offencesOf(reading)).toEqual([])
    },
    MINUTE,
  )
})

describe("the fuzzer", () => {
  it(
    "finds no script that is judged to read and changes something",
    async () => {
      const random = randomFrom(long ? Date.now() : 15)
      for (let round = 0; round < ROUNDS; round++) {
        const scripts = Object.values(GRAMMARS).flatMap((grammar) =>
          Array.from({ length: 10 }, (_, at) =>
            at % 2 === 0 ? wrapped(random, grammar(random)) : grammar(random),
          ),
        )
        scripts.push(
          ...Array.from({ length: 100 }, (_, at) =>
            at % 3 === 0 ? wrapped(random, mutated(random)) : mutated(random),
          ),
        )
        expect(await offencesOf(scripts)).toEqual([])
      }
    },
    60 * MINUTE,
  )

  it.each(Object.keys(GRAMMARS) as Check[])(
    "finds the family again when its check is taken out: %s",
    async (family) => {
      const others = new Set(CHECKS.filter((check) => check !== family))
      const random = randomFrom(3)
      let found: readonly string[] = []
      for (let round = 0; round < 80 && found.length === 0; round++) {
        const scripts = Array.from({ length: 30 }, () => GRAMMARS[family]?.(random) ?? "")
        found = await offencesOf(scripts, others, scratch, 1)
      }
      expect(found[0]).toContain("changed")
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
  // Every subcommand once or twice is enough for each kind of setting.
  const commands = BENIGN.filter((script) => script.includes("git ")).filter((_, at) => long || at % 3 === 0)
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
      const offences = await offencesOf(commands, EVERY_CHECK, place)
      place.close()
      expect(offences).toEqual([])
    },
    MINUTE,
  )

  it("is found by the same commands when its configuration is not looked at", async () => {
    const others = new Set(CHECKS.filter((check) => check !== "git repository"))
    const place = await scratchFolder(hostile(HOSTILE["text converter"] ?? ""))
    const found = await offencesOf(["git diff"], others, place)
    place.close()
    expect(found[0]).toContain("pwned")
  })

  it.each([2, 4])("is looked for in submodules too, with an index of version %i", async (version) => {
    const withSubmodule = (config: string) => (folder: string) => {
      const sub = join(folder, "src", "deep")
      git(sub, folder, "init", "-q", "--template=")
      git(sub, folder, "add", ".")
      git(sub, folder, "commit", "-qm", "inner")
      git(folder, folder, "rm", "-rq", "--cached", "src/deep")
      git(folder, folder, "add", "src/deep")
      git(folder, folder, "update-index", "--index-version", String(version))
      appendFileSync(join(sub, ".git", "config"), config)
    }
    const harmless = await scratchFolder(withSubmodule("[user]\n\tname = x\n"))
    const harmful = await scratchFolder(withSubmodule(`[filter "x"]\n\tclean = "${PAYLOAD};cat"\n`))
    const judged = [harmless, harmful].map(({ folder }) => isRead("git status", EVERY_CHECK, folder))
    expect(await Promise.all(judged)).toEqual([true, false])
    harmless.close()
    harmful.close()
  })

  it("runs nothing when it lies inside another one as plain files", async () => {
    const place = await scratchFolder((folder) => {
      const bare = join(folder, "src", "bare")
      git(folder, folder, "init", "-q", "--bare", "--template=", bare)
      appendFileSync(
        join(bare, "config"),
        `[core]\n\tfsmonitor = "${PAYLOAD};:"\n\tbare = false\n\tworktree = ..\n`,
      )
    })
    expect(await place.run("cd src/bare && git status; git log; git diff")).toBeUndefined()
    place.close()
  })
})
