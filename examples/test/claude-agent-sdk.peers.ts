import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Session } from "@sotto/core"
import { check } from "@sotto/lens"
import { startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { beforeAll, expect, it, onTestFinished } from "vitest"
import { compilerComplaints, installPeer, newPlace, type Peer } from "./support/peer.js"

const SDK: Peer = {
  name: "claude-agent-sdk",
  packages: ["@anthropic-ai/claude-agent-sdk@0.3.325"],
  example: "claude-agent-sdk/hooks.ts",
}
const MODEL = "claude-opus-5-5"
const STEER = "Keep the old heading."

interface Said {
  readonly type: string
  readonly session_id?: string
  readonly subtype?: string
}
/** The example, which is compiled apart: its types need the SDK, which is not always there. */
interface Example {
  openSotto(log: string): { readonly session: Session<"build" | "plan">; readonly hooks: object }
}
/** The part of the SDK that this test calls. */
interface Sdk {
  query(given: { prompt: AsyncIterable<object>; options: object }): AsyncIterable<Said>
}

const steps = [
  {
    text: "I read.",
    calls: [{ name: "Bash", input: { command: "until [ -e go ]; do sleep 0.05; done; cat notes.md" } }],
    expect: [{ notTold: STEER }],
  },
  {
    text: "Heading stays.",
    calls: [{ name: "Read", input: { file_path: "notes.md" } }],
    expect: [{ told: "2026-11-18" }, { told: STEER }],
  },
  { text: "Done." },
  {
    text: "I try to write.",
    calls: [{ name: "Write", input: { file_path: "plan.md", content: "new" } }],
    expect: [{ told: "/plan/i" }],
  },
  { text: "I may not.", expect: [{ told: "Plan mode changes nothing." }] },
  { text: "Still planning.", expect: [{ notTold: "/mode changed/i" }] },
]

let installed = ""
beforeAll(() => {
  installed = installPeer(SDK)
}, 600_000)

it("hooks make Claude Code tell its model what Sotto's rules say", async () => {
  expect(compilerComplaints(installed, SDK)).toBe("")
  const example = new URL("../claude-agent-sdk/hooks.ts", import.meta.url).href
  const { openSotto } = (await import(/* @vite-ignore */ example)) as Example
  const entry = join(installed, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs")
  const { query } = (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as Sdk

  const rehearsal = await startRehearsal({ script: steps })
  onTestFinished(() => rehearsal.close())
  const { home, cwd } = newPlace()
  writeFileSync(join(cwd, "notes.md"), "A line of the notes.\n".repeat(1_000))
  const log = join(home, "sotto.jsonl")
  const options = (hooks: object, resume?: string) => ({
    cwd,
    model: MODEL,
    hooks,
    settingSources: [],
    allowedTools: ["Bash", "Read", "Write"],
    tools: ["Bash", "Read", "Write"],
    ...(resume !== undefined && { resume }),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      ANTHROPIC_BASE_URL: rehearsal.url,
      ANTHROPIC_API_KEY: "any",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  })
  const says = (content: string) => ({
    type: "user",
    message: { role: "user", content },
    parent_tool_use_id: null,
    session_id: "",
  })

  const first = openSotto(log)
  first.session.observe("date", "2026-11-17")
  const talk = new Conversation()
  talk.say(says("Mend the heading."))
  let id = ""
  let turns = 0
  for await (const said of query({ prompt: talk, options: options(first.hooks) })) {
    if (id === "" && said.type === "assistant") {
      id = said.session_id ?? ""
      talk.say(says(STEER))
      first.session.observe("date", "2026-11-18")
      writeFileSync(join(cwd, "go"), "")
    }
    if (said.type !== "result") continue
    turns += 1
    if (turns > 1) talk.end()
    else {
      first.session.switchAgent("plan")
      talk.say(says("What comes next?"))
    }
  }

  const again = new Conversation()
  again.say(says("Go on."))
  again.end()
  const second = openSotto(log)
  expect(second.session.agent).toBe("plan")
  for await (const said of query({ prompt: again, options: options(second.hooks, id) }))
    if (said.type === "result") expect(said.subtype).toBe("success")

  refuseRefusals(rehearsal.requests)
  const bodies = rehearsal.requests.map(({ body }) => body)
  expect(bodies).toHaveLength(steps.length)
  const { threads } = check(bodies.map((body, i) => ({ source: "claude", number: i + 1, body })))
  expect(threads.map(({ breaks }) => breaks)).toEqual([[]])
  expect(bodies.map((body) => JSON.stringify(body).split(STEER).length - 1)).toEqual([0, 1, 1, 1, 1, 1])
})

/** Messages as they are said, until the end. */
class Conversation implements AsyncIterable<object> {
  readonly #waiting: object[] = []
  #ended = false
  #wake: () => void = () => {}

  say(message: object): void {
    this.#waiting.push(message)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next !== undefined) yield next
      else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
