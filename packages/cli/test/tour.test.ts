import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { standardRules } from "@sotto/core"
import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import { SCENES } from "../src/tour/scenes.js"
import { type Bench, benchWith, finished, sotto } from "./support/sotto.js"

/** Every kind of the catalogue, and the one that only the agent `sotto` has. */
const KINDS: readonly string[] = [...standardRules().map(({ kind }) => kind), "typed_command"]
const BATCHES = 3
const SHORT = ["queued_command", "edited_text_file", "build_switch"]
const ROOT = fileURLToPath(new URL("../../..", import.meta.url))
const REFERENCE = readFileSync(join(ROOT, "docs/reference/reminders.md"), "utf8")

/** The page of each kind in what `sotto tour` printed. */
function pagesIn(out: string): ReadonlyMap<string, string> {
  return new Map(
    out.split(/^── (?=\w)/m).map((page): [string, string] => [/^\S+/.exec(page)?.[0] ?? "", page]),
  )
}

/** Temporary files go where the test can look. */
function ownTemporary(bench: Bench): { readonly TMPDIR: string } {
  mkdirSync(bench.path("tmp"))
  return { TMPDIR: bench.path("tmp") }
}

describe("the catalogue", () => {
  it("has a scene for every kind, and no other", () => {
    expect(SCENES.map(({ kind }) => kind).toSorted()).toEqual(KINDS.toSorted())
  })

  it.each(SCENES.map(({ kind, when }) => [kind, when]))(
    "says of %s when it speaks, as the reference does",
    (kind, when) => {
      if (kind !== "typed_command") expect(REFERENCE).toContain(`## ${kind}\n\nWhen ${when}.`)
    },
  )
})

describe.concurrent("sotto tour KIND", () => {
  const batches = Array.from({ length: BATCHES }, (_, i) => KINDS.filter((__, k) => k % BATCHES === i))

  it.each(batches.map((kinds, i) => [i + 1, kinds] as const))(
    "shows what the person sees and what was sent to the model, batch %i",
    async (_, kinds) => {
      const bench = benchWith()
      const { code, out, err } = await finished(bench, ["tour", ...kinds], ownTemporary(bench))
      expect(err).toBe("")
      expect(code).toBe(0)
      const pages = pagesIn(out)
      for (const kind of kinds) {
        const [, seen = "", told = ""] = (pages.get(kind) ?? "").split(/^WHAT THE .*$/m)
        expect(seen, kind).toMatch(/^ {2}› \S/m)
        const heads = told.replaceAll(/\n {2}(?=\S*\[)/g, " ")
        expect(heads, kind).toMatch(
          new RegExp(
            `^  ${kind} · [a-z-]+ · \\d+ tokens · turn \\d+, step \\d+ · request \\d+ of \\d+, \\S`,
            "m",
          ),
        )
        expect(told, kind).toMatch(/^ {2}▌ \S/m)
        expect(told, kind).not.toContain("not found in a request")
        expect(told, kind).toContain(`"reminders": {"${kind}": false}`)
      }
      expect(readdirSync(bench.path("tmp"))).toEqual([])
    },
  )

  it("shows how the same reminder travels to another model", async () => {
    const args = ["tour", "max_steps", "--model"]
    const [system, hosted] = await Promise.all(
      ["anthropic/claude-opus-5-5", "anthropic/claude-sonnet-4-5"].map((model) =>
        finished(benchWith(), [...args, model]),
      ),
    )
    expect(system?.out).toContain("max_steps · system-message ·")
    expect(hosted?.out).toContain("max_steps · tool-result ·")
    expect(hosted?.out).toContain("▌ <system-reminder>")
  })

  it("plays rules that the folder brings along, and says why one kept silent", async () => {
    const bench = benchWith({
      ".sotto/reminders/migrations.md":
        "---\non: file.edited\nwhen: path = db/migrations/*\n---\n{{path}} is a migration.\n",
      ".sotto/reminders/stretch.md": "---\nevery: 3 steps\n---\nStretch your legs.\n",
      ".sotto/reminders/never.md": "---\nevery: 1 steps\nwhen: step = 99\n---\nNever.\n",
    })
    const spoken = await finished(bench, ["tour", "migrations", "stretch"])
    expect(spoken.code).toBe(0)
    const pages = pagesIn(spoken.out)
    expect(pages.get("migrations")).toContain("▌ db/migrations/x is a migration.")
    expect(pages.get("stretch")).toContain("▌ Stretch your legs.")
    // The folder's words have no system authority.
    expect(pages.get("stretch")).not.toContain("system-message")
    const silent = await finished(bench, ["tour", "never"])
    expect(silent.code).toBe(1)
    expect(silent.out).toMatch(/The ledger says why: condition false: step = 99/)
  })

  it("plays the user's own rules with the authority that they have", async () => {
    const bench = benchWith()
    mkdirSync(join(bench.home, "reminders"), { recursive: true })
    writeFileSync(join(bench.home, "reminders/rest.md"), "---\nevery: 1 turns\n---\nTake a rest.\n")
    const { code, out } = await finished(bench, ["tour", "rest"])
    expect(code).toBe(0)
    expect(out).toContain("rest · system-message ·")
    expect(out).toContain("▌ Take a rest.")
  })

  it("names the nearest kind and lists all of them if there is none by that name", async () => {
    const { code, out, err } = await finished(benchWith(), ["tour", "edited_text_fle"])
    expect(code).toBe(2)
    expect(out).toBe("")
    expect(err).toContain('There is no kind "edited_text_fle". Did you mean edited_text_file?')
    for (const kind of KINDS) expect(err).toMatch(new RegExp(`^${kind} +\\S`, "m"))
  })

  it("refuses a model that is the rehearsal itself", async () => {
    const { code, err } = await finished(benchWith(), ["tour", "file", "--model", "rehearsal/tour"])
    expect(code).toBe(2)
    expect(err).toContain("name the model that the rehearsal plays")
  })

  it("lists every kind with when it speaks, those of the folder too", async () => {
    const bench = benchWith({ ".sotto/reminders/stretch.md": "---\nevery: 3 steps\n---\nStretch.\n" })
    const { code, out } = await finished(bench, ["tour", "--list"])
    expect(code).toBe(0)
    for (const { kind, when } of SCENES) expect(out.replaceAll(/\s+/g, " ")).toContain(`${kind} ${when}`)
    expect(out).toMatch(/^stretch +3 steps have passed/m)
  })

  it("ends with everything removed when it is interrupted", async () => {
    const bench = benchWith()
    const run = sotto(bench, ["tour", ...KINDS], ownTemporary(bench))
    await run.printed(/WHAT THE MODEL WAS TOLD/)
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(130)
    expect(readdirSync(bench.path("tmp"))).toEqual([])
  })
})

describe.concurrent("sotto tour", () => {
  it("plays a message in mid-turn, a file that changes and a plan that is carried out", async () => {
    const bench = benchWith()
    const { code, out, err } = await finished(bench, ["tour"], ownTemporary(bench))
    expect({ code, err }).toEqual({ code: 0, err: "" })
    const pages = pagesIn(out)
    expect([...pages.keys()].slice(1)).toEqual(SHORT)
    const plan = pages.get("build_switch") ?? ""
    // Each step at which the model was told something is there.
    expect(plan).toMatch(/plan_mode · .* · turn 1, step 1/)
    expect(plan).toMatch(/build_switch · .* · turn 1, step 3/)
    expect(plan).toMatch(/• write \{"path":"notes\.md"/)
    expect(out).not.toContain("\u001b[")
    expect(readdirSync(bench.path("tmp"))).toEqual([])
  })

  it("is what `npm start` plays where there is no terminal", async () => {
    const start = promisify(execFile)(process.execPath, ["scripts/bootstrap.mjs", "start"], { cwd: ROOT })
    start.child.stdin?.end()
    const { stdout } = await start
    expect([...pagesIn(stdout).keys()].slice(1)).toEqual(SHORT)
  })

  it("prints what docs/tour.md shows", async () => {
    const { out } = await finished(benchWith(), ["tour", "edited_text_file"], { COLUMNS: "90" })
    const page = readFileSync(join(ROOT, "docs/tour.md"), "utf8")
    const block = /^WHAT THE PERSON SEES[\s\S]*?(?=^```$)/m.exec(page)?.[0]
    expect(block).toBeDefined()
    expect(out.replaceAll(/ +$/gm, "")).toContain(block)
  })

  it("is in colour only where that is wanted, and fits a narrow terminal", async () => {
    const run = (env: Record<string, string>) => finished(benchWith(), ["tour", "edited_text_file"], env)
    const [painted, plain, narrow] = await Promise.all([
      run({ FORCE_COLOR: "1" }),
      run({ FORCE_COLOR: "1", NO_COLOR: "1" }),
      run({ COLUMNS: "40" }),
    ])
    expect(painted.out).toContain("\u001b[1m")
    expect(plain.out).not.toContain("\u001b[")
    for (const line of narrow.out.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(40)
  })
})
