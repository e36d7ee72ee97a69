import { createSession as createStandard, type SottoError, standardRules } from "@sotto/core"
import { encode } from "@sotto/core/anthropic"
import { createSession, type EngineOptions, restoreSession } from "@sotto/core/engine"
import { build } from "esbuild"
import { describe, expect, it } from "vitest"

const base = () => {
  let ids = 0
  return {
    agents: [{ name: "build" }],
    model: { id: "claude-sonnet-4-5" },
    now: () => 0,
    newId: () => `id-${ids++}`,
  }
}

describe("the engine's own entry", () => {
  it("sends the bytes that @sotto/core sends, once it is given the standard rules", () => {
    const bodies = [createSession({ ...base(), rules: standardRules() }), createStandard(base())].map(
      (session) => {
        session.observe("date", "2026-11-17")
        session.note({ type: "critical", text: "The disk is almost full." })
        session.say("Tidy up.")
        const next = session.next()
        return next.is === "request" ? JSON.stringify(encode(next.request)) : next.is
      },
    )
    expect(bodies[0]).toContain("The disk is almost full.")
    expect(bodies[0]).toBe(bodies[1])
  })

  it("has no reminders but those of its rules, also after restoring", () => {
    const options = { ...base(), rules: [] }
    const session = createSession(options)
    session.note({ type: "critical", text: "The disk is almost full." })
    session.say("Tidy up.")
    const first = session.next()
    expect(JSON.stringify(first)).toContain("Tidy up.")
    expect(JSON.stringify(first)).not.toContain("almost full")
    expect(restoreSession(options, session.log).pending).toEqual(first)
  })

  it("logs the recovery when it is told of a crash", () => {
    const options = { ...base(), rules: [] }
    const session = createSession(options)
    session.say("Tidy up.")
    const next = session.next()
    if (next.is === "request")
      session.reply(next.request.id, {
        parts: [{ type: "tool-call", id: "c1", name: "bash", input: {} }],
        stop: "tool-calls",
      })
    const restored = restoreSession(options, session.log, { crashed: true })
    expect(restored.log.at(-1)?.type).toBe("recovered")
    expect(restored.phase).toBe("ready")
  })

  it("refuses options without rules, with the remedy", () => {
    const options = base() as unknown as EngineOptions
    for (const attempt of [() => createSession(options), () => restoreSession(options, [])])
      expect(attempt).toThrowError(
        expect.objectContaining<Partial<SottoError>>({
          code: "bad-options",
          message: expect.stringContaining("rules"),
        }),
      )
  })

  it("brings none of the standard texts into a bundle", async () => {
    const bundled = async (entry: string) => {
      const { outputFiles } = await build({
        stdin: { contents: `export { createSession } from "${entry}"`, resolveDir: import.meta.dirname },
        ...{ bundle: true, minify: true, format: "esm", platform: "neutral", write: false },
        conditions: ["@sotto/source"],
      })
      return outputFiles[0]?.text
    }
    const text = "The session was resumed"
    expect(await bundled("@sotto/core")).toContain(text)
    expect(await bundled("@sotto/core/engine")).not.toContain(text)
  })
})
