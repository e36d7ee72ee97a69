import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Message, Session } from "@sotto/core"
import { expectAppendOnly } from "@sotto/core/testing"
import { check } from "@sotto/lens"
import { type RequestSeen, type Script, startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { expect, onTestFinished } from "vitest"

/** What every agent of these examples offers: a session to speak to, and a loop to run. */
interface Agent {
  readonly session: Session<"build" | "plan">
  run(signal?: AbortSignal): Promise<unknown>
}

/** What the two tools of the story do. Each integration offers them in its own form. */
export interface Deeds {
  read(path: string): Promise<string>
  write(path: string, text: string): Promise<string>
}

/** Opens an agent on a log, which holds an earlier part of the story or nothing. */
export type Open = (place: {
  url: string
  log: string
  deeds: Deeds
  onText?: (text: string) => void
}) => Agent

const STEER = "Keep the old heading."

/** More than the fewest tokens that any provider caches. */
const LONG = Array.from({ length: 900 }, (_, i) => `Line ${i} of the notes says what line ${i} says.`).join(
  "\n",
)

const read = (path: string) => ({ name: "read", input: { path } })
const write = (path: string) => ({ name: "write", input: { path, text: "new" } })

/** What the model is told of a call during which the program ended: that nobody knows, or the result of a second run. */
export type AfterCrash = "unknown" | "run again"

const scriptFor = (crash: AfterCrash): Script => ({
  steps: [
    // First turn: two calls at once. The user speaks while they run.
    { text: "I read both.", calls: [read("notes.md"), read("title.md")], expect: [{ notTold: STEER }] },
    { text: "Heading stays.", calls: [write("title.md")], expect: [{ told: STEER }] },
    { text: "Done." },
    // Second turn: in plan mode, a day later.
    {
      text: "I try to write.",
      calls: [write("plan.md")],
      expect: [{ told: "/plan/i" }, { told: "2026-11-18" }],
    },
    { text: "I may not.", expect: [{ told: "Plan mode" }] },
    // Third turn: in build mode again. The program is killed while a tool runs, and opened again.
    {
      text: "I write.",
      calls: [write("title.md")],
      expect: [{ told: "/mode changed from plan to build/i" }],
    },
    {
      text: "I look at what is there.",
      calls: [read("title.md")],
      expect: [{ told: crash === "unknown" ? "/interrupted, outcome unknown/i" : "written after the crash" }],
    },
    { text: "All is well." },
  ],
})

/**
 * Plays the story over HTTP: a task with several steps, a message in mid-turn, a switch of mode, a fact that changed, and
 * a program that ends while a tool runs. Returns every request. The rehearsal refuses what the provider would refuse.
 */
export async function playStory(open: Open, crash: AfterCrash = "unknown"): Promise<readonly RequestSeen[]> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-example-"))
  const rehearsal = await startRehearsal({ script: scriptFor(crash) })
  onTestFinished(async () => {
    await rehearsal.close()
    rmSync(folder, { recursive: true })
  })
  const place = { url: rehearsal.url, log: join(folder, "log.jsonl") }
  const written: string[] = []
  const deeds: Deeds = {
    read: async (path) => {
      if (path === "notes.md") first.session.say(STEER, { id: "steer" })
      return path === "notes.md" ? LONG : "# Old"
    },
    write: async (path) => {
      written.push(path)
      return "written"
    },
  }

  const first = open({ ...place, deeds })
  first.session.observe("date", "2026-11-17")
  first.session.say("Mend the title.")
  await first.run()
  expect(first.session.receipt("steer")).toMatchObject({ state: "delivered", step: 2 })

  first.session.switchAgent("plan")
  first.session.observe("date", "2026-11-18")
  first.session.say("What comes next?")
  await first.run()
  expect(written).toEqual(["title.md"])

  // The process that works in the third turn never hears what the tool did: it is gone.
  first.session.switchAgent("build")
  first.session.say("Do it.")
  const gone = new Promise<void>((resolve) => {
    deeds.write = () => {
      resolve()
      return new Promise(() => {})
    }
  })
  void first.run()
  await gone

  const second = open({ ...place, deeds: { ...deeds, write: async () => "written after the crash" } })
  await second.run()
  expect(wordsOf(second.session.view(), "user")).toEqual([
    "Mend the title.",
    STEER,
    "What comes next?",
    "Do it.",
  ])
  expect(wordsOf(second.session.view(), "assistant").at(-1)).toBe("All is well.")
  refuseRefusals(rehearsal.requests)
  return rehearsal.requests
}

/** The requests only add to each other, the message in mid-turn came once, and the cache was read. */
export function expectKeptPrefix(requests: readonly RequestSeen[]): void {
  const bodies = requests.map(({ body }) => body)
  expectAppendOnly(bodies)
  const { threads, findings } = check(bodies.map((body, i) => ({ source: "story", number: i + 1, body })))
  expect(threads.map(({ breaks }) => breaks)).toEqual([[]])
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([])
  expect(requests.map(({ cache }) => cache?.missed)).toEqual(requests.map(() => 0))
  expect(requests.at(-1)?.cache?.read).toBeGreaterThan(5_000)
  const told = bodies.map((body) => JSON.stringify(body).split(STEER).length - 1)
  expect(told).toEqual(bodies.map((_, i) => (i === 0 ? 0 : 1)))
}

function wordsOf(messages: readonly Message[], role: Message["role"]): readonly string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])))
}
