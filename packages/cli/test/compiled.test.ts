import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, reaching, serverWith } from "./support/sotto.js"

const RUN = ["run", "--model", "anthropic/claude-opus-5-5", "Say hello."]

/** Runs one prompt, and returns what was printed. */
async function prompted(bench: Bench): Promise<{ readonly code: number | null; readonly out: string }> {
  const server = await serverWith([{ text: "Hello." }])
  const { code, out } = await finished(bench, RUN, reaching(server.url))
  return { code, out }
}

function keptIn({ home }: Bench): readonly string[] {
  return readdirSync(join(home, "compiled"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe("compiled code", () => {
  it("is kept by a run in Sotto's own folder, readable by its owner only, and used by the next", async () => {
    const bench = benchWith()
    await prompted(bench)
    const kept = keptIn(bench)
    expect(kept.length).toBeGreaterThan(0)
    expect(statSync(join(bench.home, "compiled")).mode & 0o077).toBe(0)
    const before = kept.map((path) => statSync(path).mtimeMs)
    expect(await prompted(bench)).toMatchObject({ code: 0, out: "Hello.\n" })
    expect(keptIn(bench)).toEqual(kept)
    expect(kept.map((path) => statSync(path).mtimeMs)).toEqual(before)
  })

  it("is ignored where it is damaged, and made anew", async () => {
    const bench = benchWith()
    await prompted(bench)
    for (const path of keptIn(bench)) {
      const content = readFileSync(path)
      content.fill(0x5a, Math.floor(content.length / 2))
      writeFileSync(path, content)
    }
    expect(await prompted(bench)).toMatchObject({ code: 0, out: "Hello.\n" })
    for (const path of keptIn(bench)) {
      const end = readFileSync(path).subarray(-1_000)
      expect(end.every((byte) => byte === 0x5a)).toBe(false)
    }
  })

  it("is done without where it cannot be kept", async () => {
    const other = benchWith({ "../home/compiled": "A file where the folder would be." })
    expect(await prompted(other)).toMatchObject({ code: 0, out: "Hello.\n" })
    expect(readFileSync(join(other.home, "compiled"), "utf8")).toBe("A file where the folder would be.")
  })
})
