import { existsSync, readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Entry } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it, vi } from "vitest"
import {
  type HarnessEvent,
  OpenQuestions,
  type ProjectRuntime,
  type Store,
  StoreError,
} from "../src/index.js"
import { opened } from "./conversation-support.js"
import { processesIn } from "./processes.js"

/** A lease that a test ends when it likes, on a real store. */
class TestLease {
  #isHeld = true
  #isAway = false
  #answered: Promise<void> | undefined
  #listener: ((error: StoreError) => void) | undefined
  /** What was appended while the database was away. */
  readonly #late: (readonly Entry[])[] = []
  /** How often the store was asked to confirm it. */
  confirmed = 0

  /** Another worker has the session. `quietly`: nobody here knows yet, as after a pause. */
  end(quietly = false, unsure = false): void {
    this.#isHeld = false
    if (!quietly) this.#listener?.(lost(unsure))
  }

  /** The database does not answer, until the function that this returns is called: then it says yes to everything. */
  hang(): () => void {
    let answer = () => {}
    this.#answered = new Promise((resolve) => {
      answer = resolve
    })
    return answer
  }

  /** The database cannot be reached, or can be again. */
  away(isAway: boolean): void {
    this.#isAway = isAway
  }

  over(store: Store): Store {
    const durable = async (id: string) => {
      this.confirmed++
      if (this.#answered !== undefined) return await this.#answered
      if (this.#isAway) throw new StoreError("unavailable", "The store cannot be reached.", "Wait.")
      if (!this.#isHeld) throw lost()
      for (const entries of this.#late.splice(0)) store.appendLater(id, entries)
      await store.durable(id)
    }
    const appendLater = (id: string, entries: readonly Entry[]) => {
      if (this.#isAway || this.#late.length > 0) this.#late.push(entries)
      else store.appendLater(id, entries)
    }
    const own: Partial<Store> = {
      durable,
      appendLater,
      append: (id, entries) => {
        appendLater(id, entries)
        return durable(id)
      },
      holds: () => this.#isHeld,
      lease: () => (this.#isHeld ? { fence: 1, until: Date.now() + 60_000 } : undefined),
      onLost: (_, listener) => {
        this.#listener = listener
      },
    }
    return new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(name in own ? own : target, name) as unknown
        return typeof value === "function" ? value.bind(name in own ? own : target) : value
      },
    })
  }
}

function lost(unsure = false): StoreError {
  return new StoreError("lost", "Another worker runs this session now.", "Go on there.", { unsure })
}

interface Scene {
  readonly steps: readonly ScriptStep[]
  readonly hear?: (event: HarnessEvent, lease: TestLease) => void
  readonly auto?: boolean
  readonly config?: object
  readonly questions?: OpenQuestions
}

async function play({ steps, hear, auto = true, config = {}, questions }: Scene) {
  const lease = new TestLease()
  const events: HarnessEvent[] = []
  const scene = await opened({
    steps,
    auto,
    ...(questions && { questions }),
    files: { "sotto.json": JSON.stringify(config) },
    emit: (event) => {
      events.push(event)
      hear?.(event, lease)
    },
    prepare: (workplace: ProjectRuntime) => {
      const store = lease.over(workplace.store())
      Object.assign(workplace, { store: () => store })
    },
  })
  const log = async () => scene.workplace.store().load(scene.conversation.session.id)
  return { ...scene, lease, events, log, path: (name: string) => join(scene.root, name) }
}

const bash = (command: string) => ({ name: "bash", input: { command } })

describe("once the lease is lost", () => {
  it("no request leaves", async () => {
    const { conversation, lease, rehearsal, events, end } = await play({ steps: [{ text: "Never." }] })
    conversation.say("Begin.")
    lease.end(true)
    await end()
    expect(rehearsal.requests).toEqual([])
    expect(events).toContainEqual(
      expect.objectContaining({ type: "error", message: expect.stringContaining("Another worker") }),
    )
  })

  it("no request is tried again", async () => {
    const { conversation, rehearsal, end } = await play({
      steps: [{ fail: [{ status: 529 }] }, { text: "Never." }],
      hear: (event, lease) => event.type === "retry" && lease.end(true),
    })
    conversation.say("Begin.")
    await end()
    expect(rehearsal.requests).toHaveLength(1)
  })

  it("the second of two commands does not run, although nobody has told of the loss", async () => {
    const { conversation, lease, path, end } = await play({
      steps: [{ calls: [bash("touch first; cat pipe"), bash("touch second")] }, { text: "Never." }],
    })
    conversation.say("Begin.")
    await vi.waitFor(() => expect(existsSync(path("first"))).toBe(true), 10_000)
    lease.end(true)
    await writeFile(path("pipe"), "go on")
    await end()
    expect(existsSync(path("second"))).toBe(false)
    expect(() => conversation.say("More.")).toThrow("no longer holds")
  })

  it("running commands and background tasks are ended", async () => {
    const { conversation, lease, path, log, end } = await play({
      steps: [
        {
          calls: [
            { name: "bash", input: { command: "echo $$ > one; sleep 600", background: true } },
            bash("echo $$ > two; sleep 600"),
          ],
        },
      ],
    })
    conversation.say("Begin.")
    await vi.waitFor(() => ["one", "two"].map((name) => readFileSync(path(name), "utf8")), 10_000)
    expect(processesIn(path("."))).not.toEqual([])
    const before = (await log()).length
    lease.end()
    await end()
    expect(await log()).toHaveLength(before)
    await vi.waitFor(() => expect(processesIn(path("."))).toEqual([]), { timeout: 10_000, interval: 50 })
  })

  it("no hook runs", async () => {
    const { conversation, lease, path, end } = await play({
      steps: [{ text: "Never." }],
      config: { hooks: { prompt: [{ command: "touch prompted" }] } },
    })
    conversation.say("Begin.")
    lease.end(true)
    await end()
    expect(existsSync(path("prompted"))).toBe(false)
  })

  it("nobody is asked", async () => {
    const asked: string[] = []
    const questions = new OpenQuestions(
      ({ kind }) => asked.push(kind),
      () => true,
    )
    const { conversation, end } = await play({
      steps: [{ calls: [bash("python3 -c 1")] }, { text: "Never." }],
      auto: false,
      questions,
      hear: (event, lease) => event.type === "tool-call" && lease.end(true),
    })
    conversation.say("Begin.")
    await end()
    expect(asked).toEqual([])
  })
})

it("waits while the database is away, says so once, and goes on when it is back", async () => {
  const { conversation, lease, rehearsal, events, end } = await play({ steps: [{ text: "Done." }] })
  const errors = () => events.filter(({ type }) => type === "error")
  conversation.say("Begin.")
  lease.away(true)
  await vi.waitFor(() => expect(lease.confirmed).toBeGreaterThan(3), 10_000)
  expect(rehearsal.requests).toEqual([])
  expect(errors()).toHaveLength(1)
  lease.away(false)
  await end()
  expect(rehearsal.requests).toHaveLength(1)
  expect(events).toContainEqual(expect.objectContaining({ type: "turn-end", reason: "done" }))
})

describe("the sender of a command", () => {
  it("hears that it was taken once the store has it, and not before", async () => {
    const { conversation, lease, events, end } = await play({ steps: [{ text: "Done." }] })
    lease.away(true)
    conversation.say("Begin.", { id: "m" })
    let isKept = false
    const kept = Promise.resolve(conversation.kept()).then(() => {
      isKept = true
    })
    await vi.waitFor(() => expect(lease.confirmed).toBeGreaterThan(3), 10_000)
    expect(isKept).toBe(false)
    expect(events).not.toContainEqual(expect.objectContaining({ type: "queued" }))
    // The same message again is not known to be kept either.
    conversation.say("Begin.", { id: "m" })
    expect(events).not.toContainEqual(expect.objectContaining({ type: "queued" }))
    lease.away(false)
    await kept
    await end()
    expect(events).toContainEqual({ type: "queued", id: "m" })
  })

  it("hears nothing good of a message that is sent again while the loss is being found out", async () => {
    const { conversation, lease, end } = await play({ steps: [{ text: "Never." }] })
    lease.away(true)
    conversation.say("Begin.", { id: "m" })
    lease.end(true)
    const answer = lease.hang()
    conversation.say("Begin.", { id: "m" })
    const kept = Promise.resolve(conversation.kept())
    lease.end(false, true)
    answer()
    await expect(kept).rejects.toMatchObject({ code: "unavailable" })
    await end()
  })

  it.each([
    { unsure: false, code: "lost", says: "Another worker runs this session now" },
    { unsure: true, code: "unavailable", says: "Send it again with the same id" },
  ])("hears whether it is known what became of it: $code", async ({ unsure, code, says }) => {
    const { conversation, lease, end } = await play({ steps: [{ text: "Never." }] })
    lease.away(true)
    conversation.say("Begin.")
    const kept = Promise.resolve(conversation.kept())
    lease.end(false, unsure)
    await expect(kept).rejects.toMatchObject({ code, message: expect.stringContaining(says) })
    await end()
  })
})
