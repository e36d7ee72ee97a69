import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type HttpDialectName, rehearse } from "../src/index.js"

/**
 * Requests that other agents really sent to a rehearsal while they read a file: the last of the turn, with the tool's
 * result. Long texts, paths and ids are replaced.
 */
interface Captured {
  readonly dialect: HttpDialectName
  readonly path: string
  readonly beta?: string
  readonly body: object
}

const folder = new URL("./fixtures/clients/", import.meta.url)

describe.each(readdirSync(folder))("%s", (file) => {
  const captured = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as readonly Captured[]

  it.each(captured)("is answered: $path", ({ dialect, path, beta = "", body }) => {
    const [, model] = /models\/([^:]+):/.exec(path) ?? []
    const betas = beta.split(",")
    const performance = rehearse(body, dialect, { betas, ...(model !== undefined && { model }) })
    expect(performance.problems.filter(({ severity }) => severity === "error")).toEqual([])
    expect(performance.is).toBe("answered")
  })
})
