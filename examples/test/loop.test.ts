import { readFileSync } from "node:fs"
import type { Message, Reply, Request } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { createLoop, type Model, type Tool } from "../loop/loop.js"

const SMOOSHING = "claude-sonnet-4-5"

/** A stand-in that gives these replies in order and keeps what it was told each time. */
function scripted(...replies: readonly (Reply | Error)[]): { model: Model; told: string[] } {
  const told: string[] = []
  const left = [...replies]
  return {
    told,
    model: async (request: Request) => {
      told.push(JSON.stringify(request))
      const reply = left.shift()
      if (reply === undefined || reply instanceof Error) throw reply ?? new Error("The script is over.")
      return reply
    },
  }
}

const says = (text: string): Reply => ({ parts: [{ type: "text", text }] })
const calls = (...names: readonly string[]): Reply => ({
  parts: names.map((name, i) => ({ type: "tool-call", id: `${name}-${i}`, name, input: {} })),
})
const tool = (run: Tool["run"]): Tool => ({
  description: "For the test.",
  inputSchema: { type: "object" },
  run,
})
const words = (messages: readonly Message[], role: Message["role"]) =>
  messages
    .filter((message) => message.role === role)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))

describe("the example loop", () => {
  it("frames a message that arrives while a tool runs, and the user sees the raw words", async () => {
    const { model, told } = scripted(calls("wait"), says("Three it is."))
    const loop = createLoop(SMOOSHING, model, {
      wait: tool(async () => {
        void loop.say("Make it three.")
        return "waited"
      }),
    })
    const shown = await loop.say("Make it two.")
    expect(told).toHaveLength(2)
    expect(told[1]).toMatch(
      /<system-reminder>\\nThe user sent a new message while you were working:\\nMake it three\./,
    )
    expect(words(shown, "user")).toEqual(["Make it two.", "Make it three."])
    expect(words(shown, "assistant")).toEqual(["Three it is."])
  })

  it("takes one more step for a message that arrives during the final answer", async () => {
    const { model, told } = scripted(says("Done."), says("That too."))
    const loop = createLoop(
      SMOOSHING,
      async (request, signal) => {
        if (request.step === 1) void loop.say("And this?")
        return model(request, signal)
      },
      {},
    )
    expect(words(await loop.say("Do that."), "assistant")).toEqual(["Done.", "That too."])
    expect(told).toHaveLength(2)
  })

  it("passes a tool's error on and does not stop the calls beside it", async () => {
    const { model, told } = scripted(calls("breaks", "works", "missing"), says("One failed."))
    const loop = createLoop(SMOOSHING, model, {
      breaks: tool(() => Promise.reject(new Error("disk full"))),
      works: tool(async () => "fine"),
    })
    await loop.say("Go.")
    const results = JSON.parse(told[1] as string).messages.at(-1).content
    expect(results).toMatchObject([
      { callId: "breaks-0", error: true, content: [{ text: "disk full" }] },
      { callId: "works-1", error: false, content: [{ text: "fine" }] },
      { callId: "missing-2", error: true, content: [{ text: 'There is no tool "missing".' }] },
    ])
  })

  it("runs the calls of a step in parallel", async () => {
    const { model } = scripted(calls("left", "right"), says("Both."))
    let arrive = () => {}
    const met = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const loop = createLoop(SMOOSHING, model, {
      left: tool(() => met.then(() => "left")),
      right: tool(async () => {
        arrive()
        return "right"
      }),
    })
    expect(words(await loop.say("Go."), "assistant")).toEqual(["Both."])
  })

  it("sends the same request again after the model failed", async () => {
    const { model, told } = scripted(new Error("overloaded"), says("Here."), says("And there."))
    const loop = createLoop(SMOOSHING, model, {})
    await expect(loop.say("Where?")).rejects.toThrow("overloaded")
    expect(words(await loop.say("Well?"), "assistant")).toEqual(["Here.", "And there."])
    expect(told[1]).toBe(told[0])
  })

  it("fits on a page: fewer than 60 lines", () => {
    const source = readFileSync(new URL("../loop/loop.ts", import.meta.url), "utf8")
    expect(source.trimEnd().split("\n").length).toBeLessThan(60)
  })
})
