import type { CacheUse } from "@sotto/core/testing"
import { cacheModel } from "@sotto/core/testing"
import { createMender, type Mender, type MendingPolicy } from "@sotto/lens"
import { defineScript, rehearse, type ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"

type Body = Record<string, unknown>

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, i) => `word${(seed * 7_919 + i * 104_729) % 9_973}`).join(" ")
const part = (text: string) => ({ type: "text", text })
const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`
const tool = (name: string) => ({
  name,
  description: `Runs ${name}.`,
  input_schema: { type: "object", properties: { path: { type: "string" } } },
})

/** A harness that renders its whole request anew each time: what it says depends on how many turns there were. */
interface Harness {
  system(turn: number): string
  /** What stands beside the words of the prompt with this index, when so many prompts were given. */
  beside(prompt: number, prompts: number): readonly string[]
  tools?(turn: number): readonly string[]
}

interface Done {
  readonly bodies: readonly Body[]
  readonly refused: readonly string[]
  readonly use: { read: number; written: number; total: number }
}

interface Play {
  readonly model: string
  readonly harness: Harness
  readonly policy?: MendingPolicy
  readonly turns?: number
  readonly steps?: number
  /** Replaces the mender before a request, counted from 1. */
  readonly restart?: (request: number, mender: Mender) => Mender
}

/** A conversation of several turns with calls in each, through a mender or without one, played by the rehearsal. */
function play({ model, harness, policy, turns = 4, steps = 3, restart }: Play): Done {
  const script = defineScript({
    counting: "requests",
    steps: Array.from({ length: turns * steps }, (_, i): ScriptStep => {
      const isLast = i % steps === steps - 1
      return {
        reasoning: `I think about ${words(i, 10)}`,
        text: `Step ${i}.`,
        ...(!isLast && { calls: [{ name: "read", input: { path: `${i}.ts` } }] }),
      }
    }),
  })
  const cache = cacheModel("anthropic", { minimum: 1_024 })
  let mender = policy && createMender(policy)
  const bodies: Body[] = []
  const refused: string[] = []
  const use = { read: 0, written: 0, total: 0 }
  const history: { readonly role: string; readonly content: readonly unknown[]; readonly prompt?: number }[] =
    []
  let request = 0
  for (let turn = 0; turn < turns; turn++) {
    history.push({ role: "user", content: [part(`Prompt ${turn}: ${words(turn, 60)}`)], prompt: turn })
    for (let step = 0; step < steps; step++) {
      request++
      if (mender !== undefined && restart !== undefined) mender = restart(request, mender)
      const original: Body = {
        model,
        max_tokens: 1_000,
        system: [{ ...part(harness.system(turn)), cache_control: { type: "ephemeral" } }],
        tools: (harness.tools?.(turn) ?? ["read", "bash"]).map(tool),
        messages: marked(
          history.map(({ role, content, prompt }) => ({
            role,
            content:
              prompt === undefined ? content : [...content, ...harness.beside(prompt, turn + 1).map(part)],
          })),
        ),
      }
      const sent = mender?.mend({
        dialect: "anthropic",
        path: "/v1/messages",
        body: JSON.stringify(original),
        betas: [],
      })
      const body: Body = sent === undefined ? original : JSON.parse(sent.body)
      bodies.push(body)
      const performance = rehearse(body, "anthropic", {
        script,
        step: request - 1,
        betas: sent?.betas ?? [],
        cache: (_, __, whole): CacheUse => cache.request(whole),
      })
      if (performance.is === "refused") {
        refused.push(performance.error.message)
        return { bodies, refused, use }
      }
      use.read += performance.cache.read
      use.written += performance.cache.written
      use.total += performance.cache.total
      const { content } = performance.response as unknown as { content: { type: string; id?: string }[] }
      history.push({ role: "assistant", content })
      const calls = content.filter(({ type }) => type === "tool_use")
      if (calls.length > 0)
        history.push({
          role: "user",
          content: calls.map(({ id }) => ({
            type: "tool_result",
            tool_use_id: id,
            content: words(request, 200),
          })),
        })
    }
  }
  return { bodies, refused, use }
}

/** The marker at the newest content, as harnesses put it. */
function marked(
  messages: readonly { readonly role: string; readonly content: readonly unknown[] }[],
): unknown[] {
  const last = messages.at(-1)
  if (last === undefined) return []
  const content = last.content.map((block, i) =>
    i === last.content.length - 1 ? { ...(block as object), cache_control: { type: "ephemeral" } } : block,
  )
  return [...messages.slice(0, -1), { ...last, content }]
}

const PLAN = reminder(`Plan mode ACTIVE. Look, and change nothing. ${words(70, 80)}`)
const BUILD = reminder(`Your operational mode has changed from plan to build. ${words(71, 80)}`)
const CONTEXT = reminder(`# claudeMd\nContents of CLAUDE.md: ${words(72, 500)}`)
const SYSTEM = `You are an agent.\n${words(73, 1_500)}`

const HARNESSES: Readonly<Record<string, Harness>> = {
  "opencode's modes": {
    system: () => SYSTEM,
    beside: (prompt, prompts) => (prompt !== prompts - 1 ? [] : prompts === 1 ? [PLAN] : [BUILD]),
  },
  "a rewritten AGENTS.md": {
    system: (turn) =>
      `${SYSTEM}\nInstructions from: /p/AGENTS.md\nRule ${turn}: ${words(turn, 20)}\n${words(74, 300)}`,
    beside: () => [],
  },
  "a date in the system prompt": {
    system: (turn) => `${SYSTEM}\n<env>\n  Today's date: 2026-11-${16 + turn}\n</env>`,
    beside: () => [],
  },
  "context that stands in the newest message": {
    system: (turn) => `x-anthropic-billing-header: cch=${turn}ab\n${SYSTEM}`,
    beside: (prompt, prompts) =>
      prompt === prompts - 1 ? [CONTEXT, reminder(`Your todo list has changed: ${prompts} are open.`)] : [],
  },
}

describe.each(Object.entries(HARNESSES))("%s", (_, harness) => {
  it.each(["claude-sonnet-4-5", "claude-opus-5"])(
    "the rehearsal takes what is held on %s, and it costs less",
    (model) => {
      const plain = play({ model, harness })
      const held = play({ model, harness, policy: { hold: true } })
      expect(plain.refused).toEqual([])
      expect(held.refused).toEqual([])
      // Only what is new is written: at most what was said, with the little that is told.
      expect(held.use.written).toBeLessThan(plain.use.written * 0.75)
      expect(held.use.read).toBeGreaterThan(plain.use.read)
      const missed = held.bodies.length
      expect(missed).toBe(12)
    },
  )

  it("is refused without a mender where thinking is tied to its bytes, and taken with one", () => {
    const model = "claude-opus-5-5"
    expect(play({ model, harness }).refused).toEqual([expect.stringContaining("Invalid `signature`")])
    expect(play({ model, harness, policy: { hold: true } }).refused).toEqual([])
  })

  describe("on a model that ties thinking", () => {
    const model = "claude-opus-5-5"
    const policy = { hold: true }

    it("a restart with its state goes on with the same bytes", () => {
      const whole = play({ model, harness, policy })
      const restart = (_: number, mender: Mender) => createMender(policy, { saved: mender.save() })
      expect(play({ model, harness, policy, restart })).toEqual(whole)
    })

    it.each(Array.from({ length: 11 }, (_, i) => i + 2))(
      "a restart without its state before request %i is not refused",
      (at) => {
        const restart = (request: number, mender: Mender) => (request === at ? createMender(policy) : mender)
        expect(play({ model, harness, policy, restart }).refused).toEqual([])
      },
    )

    const withOneMore = (at: number): Harness => ({
      ...harness,
      tools: (turn) => (turn < at ? ["read", "bash"] : ["read", "bash", "edit"]),
    })

    it.each([2, 3])("a tool that is added in turn %i goes through, and is not refused", (at) => {
      const { refused, bodies } = play({ model, harness: withOneMore(at), policy })
      expect(refused).toEqual([])
      expect(bodies.at(-1)?.tools).toHaveLength(3)
    })

    it("a tool that is added before anything was mended is as if there were no mender", () => {
      const harness = withOneMore(1)
      expect(play({ model, harness, policy }).refused).toEqual(play({ model, harness }).refused)
    })
  })
})
