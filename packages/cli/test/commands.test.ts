import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ContentBlock } from "@agentclientprotocol/sdk"
import type { ContentPart, Entry } from "@sotto/core"
import {
  type CommandName,
  type CommandOf,
  openStore,
  readStored,
  SESSION_COMMANDS,
  storePlace,
} from "@sotto/harness"
import type { Script, ScriptStep } from "@sotto/rehearsal"
import { afterAll, describe, expect, it, vi } from "vitest"
import { bodiesOf, conversationOf } from "./support/bodies.js"
import { type Editor, editorWith } from "./support/editor.js"
import { type Client, serving } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

/*
 * What JSONL can say, HTTP and ACP can say. Each row plays a small scenario over all three, with real processes, and the
 * logs must be equal. The scenarios name the way in their first prompt, so that requests and files can be told apart;
 * in what is compared the names are replaced.
 */

const MODEL = "anthropic/claude-opus-5-5"
const WAYS = ["jsonl", "http", "acp"] as const
type Way = (typeof WAYS)[number]
type Command = { readonly [T in CommandName]: Omit<CommandOf<T>, "origin"> }[CommandName]
type Said = Omit<CommandOf<"say">, "type" | "origin"> & { readonly id: string }

/** A way to one session. */
interface Link {
  readonly session: string
  /** Sends a command, whatever becomes of it. */
  send(command: Command): Promise<void>
  /** The id of the question that is open, for `answer`. */
  question(): Promise<string>
  /** Why a command is refused. */
  refusal(command: Command): Promise<string>
  end(): Promise<unknown>
}

/** One session of a scenario. */
class Talk {
  readonly way: Way
  readonly bench: Bench
  readonly link: Link
  readonly #row: string
  readonly #read: () => ReturnType<typeof readStored>

  constructor(way: Way, row: string, bench: Bench, link: Link, read: Talk["view"]) {
    this.way = way
    this.bench = bench
    this.link = link
    this.#row = row
    this.#read = read
  }

  get view(): () => ReturnType<typeof readStored> {
    return this.#read
  }

  /** The name of a file of this scenario. */
  file(name: string): string {
    return fileOf(this.#row, this.way, name)
  }

  send(command: Command): Promise<void> {
    return this.link.send(command)
  }

  /** Says something, and waits until it is in the log. */
  async say(said: Said): Promise<void> {
    await this.send({ type: "say", ...said })
    await this.logged((entry) => entry.type === "said" && entry.id === said.id)
  }

  /** The prompt that opens the scenario. Its words choose the script. */
  begin(more: Partial<Said> = {}): Promise<void> {
    return this.say({ text: opening(this.#row, this.way), id: "m1", ...more })
  }

  /** Waits until the model has answered so many times, and the turn is over. */
  idle(replies: number): Promise<void> {
    return this.#until((session) => {
      expect(session.log.filter(({ type }) => type === "replied")).toHaveLength(replies)
      expect(session.isInTurn).toBe(false)
    })
  }

  logged(fits: (entry: Entry) => boolean): Promise<void> {
    return this.#until(({ log }) => expect(log.some(fits)).toBe(true))
  }

  #until(holds: (session: Awaited<ReturnType<typeof readStored>>) => void): Promise<void> {
    return vi.waitFor(async () => holds(await this.#read()), { timeout: 30_000, interval: 20 })
  }
}

interface Row {
  readonly steps?: (file: (name: string) => string) => readonly ScriptStep[]
  /** Pipes that commands of the scenario wait at. */
  readonly gates?: readonly string[]
  play(talk: Talk, gate: (name: string) => Promise<void>): Promise<void>
  /** What has to hold for each way by itself: on the wire, in the view, on disk. */
  check?(found: { readonly sent: string; readonly shown: string; readonly talk: Talk }): void
}

const DONE: readonly ScriptStep[] = Array.from({ length: 5 }, () => ({ text: "Done." }))
const bash = (command: string, background = false): ScriptStep => ({
  calls: [{ name: "bash", input: { command, ...(background && { background }) } }],
})

function fileOf(row: string, way: Way, name: string): string {
  return `${name}-${row}-${way}`
}

function opening(row: string, way: Way): string {
  return `Begin ${row}-${way}.`
}

const ROWS: Readonly<Record<CommandName, Readonly<Record<string, Row>>>> = {
  say: {
    "parts of which one is ignored": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.say({
          id: "m2",
          parts: [
            { type: "text", text: "Only the user sees this.", ignored: true },
            { type: "text", text: "Both see this." },
          ],
        })
        await talk.idle(2)
      },
      check: ({ sent, shown }) => {
        expect(sent).toContain("Both see this.")
        expect(sent).not.toContain("Only the user sees this.")
        expect(shown).toContain("Both see this.")
        expect(shown).toContain("Only the user sees this.")
      },
    },
    "a system prompt for the turn": {
      play: async (talk) => {
        await talk.begin({ system: "Answer in rhymes." })
        await talk.idle(1)
      },
      check: ({ sent, shown }) => {
        expect(sent).toContain("Answer in rhymes.")
        expect(shown).not.toContain("Answer in rhymes.")
      },
    },
    "hidden from the user": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.say({ id: "m2", text: "Only the model sees this.", hidden: true })
        await talk.idle(2)
      },
      check: ({ sent, shown }) => {
        expect(sent).toContain("Only the model sees this.")
        expect(shown).not.toContain("Only the model sees this.")
      },
    },
    "after the turn, and twice with one id": {
      steps: (file) => [bash(`cat ${file("gate")}`), ...DONE],
      gates: ["gate"],
      play: async (talk, open) => {
        await talk.begin()
        await talk.logged(({ type }) => type === "replied")
        await talk.say({ id: "m2", text: "Then this.", delivery: "after-turn" })
        await talk.say({ id: "m2", text: "Then this.", delivery: "after-turn" })
        await open("gate")
        await talk.idle(3)
      },
    },
  },
  agent: {
    "plans from the next step on": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "agent", name: "plan" })
        await talk.say({ id: "m2", text: "Go on." })
        await talk.idle(2)
      },
    },
  },
  model: {
    "is another one from then on": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "model", model: "openai/gpt-5.6" })
        await talk.say({ id: "m2", text: "Go on." })
        await talk.idle(2)
      },
    },
  },
  answer: {
    "refuses a call in words": {
      steps: () => [bash("python3 -c 1"), ...DONE],
      play: async (talk) => {
        await talk.begin()
        const id = await talk.link.question()
        await talk.send({ type: "answer", id, answer: "no: not on a Friday" })
        await talk.idle(2)
      },
      check: ({ sent }) => expect(sent).toContain("not on a Friday"),
    },
  },
  edit: {
    "changes words and delivery": {
      steps: (file) => [bash(`cat ${file("gate")}`), ...DONE],
      gates: ["gate"],
      play: async (talk, open) => {
        await talk.begin()
        await talk.logged(({ type }) => type === "replied")
        await talk.say({ id: "m2", text: "First draft." })
        await talk.send({ type: "edit", id: "m2", text: "Final words.", delivery: "after-turn" })
        await talk.logged(({ type }) => type === "edited")
        await open("gate")
        await talk.idle(3)
      },
      check: ({ sent }) => {
        expect(sent).toContain("Final words.")
        expect(sent).not.toContain("First draft.")
      },
    },
  },
  cancel: {
    "takes a message back": {
      steps: (file) => [bash(`cat ${file("gate")}`), ...DONE],
      gates: ["gate"],
      play: async (talk, open) => {
        await talk.begin()
        await talk.logged(({ type }) => type === "replied")
        await talk.say({ id: "m2", text: "Never sent." })
        await talk.send({ type: "cancel", id: "m2" })
        await talk.logged(({ type }) => type === "cancelled")
        await open("gate")
        await talk.idle(2)
      },
      check: ({ sent }) => expect(sent).not.toContain("Never sent."),
    },
  },
  compact: {
    "puts a summary in the place of what was said": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "compact", focus: "the lexer" })
        await talk.logged(({ type }) => type === "compacted")
      },
      check: ({ sent }) => expect(sent).toContain("the lexer"),
    },
  },
  rewind: {
    "goes back, and takes files back": {
      steps: (file) => [
        ...DONE.slice(0, 1),
        { calls: [{ name: "write", input: { path: file("new"), content: "new\n" } }] },
        ...DONE,
      ],
      play: async (talk) => {
        await talk.send({ type: "auto", on: true })
        await talk.begin()
        await talk.idle(1)
        await talk.say({ id: "m2", text: "Write it." })
        await talk.idle(3)
        expect(existsSync(talk.bench.path(talk.file("new")))).toBe(true)
        await talk.send({ type: "rewind", to: "m2", files: true })
        await vi.waitFor(() => expect(existsSync(talk.bench.path(talk.file("new")))).toBe(false))
        // The model is where it was before, and writes the file once more.
        await talk.say({ id: "m3", text: "Go on." })
        await talk.idle(5)
      },
      check: ({ shown }) => {
        expect(shown).not.toContain("Write it.")
        expect(shown).toContain("Go on.")
      },
    },
  },
  undo: {
    "takes the newest turn back, with what its command did": {
      steps: (file) => [...DONE.slice(0, 1), bash(`echo new > ${file("undone")}`), ...DONE],
      play: async (talk) => {
        await talk.send({ type: "auto", on: true })
        await talk.begin()
        await talk.idle(1)
        await talk.say({ id: "m2", text: "Write it." })
        await talk.idle(3)
        expect(existsSync(talk.bench.path(talk.file("undone")))).toBe(true)
        await talk.send({ type: "undo" })
        await vi.waitFor(() => expect(existsSync(talk.bench.path(talk.file("undone")))).toBe(false))
        // The model is where it was before, and runs the command once more.
        await talk.say({ id: "m3", text: "Go on." })
        await talk.idle(5)
      },
      check: ({ shown }) => expect(shown).not.toContain("Write it."),
    },
  },
  redo: {
    "goes forward again": {
      steps: (file) => [...DONE.slice(0, 1), bash(`echo new > ${file("redone")}`), ...DONE],
      play: async (talk) => {
        await talk.send({ type: "auto", on: true })
        await talk.begin()
        await talk.idle(1)
        await talk.say({ id: "m2", text: "Write it." })
        await talk.idle(3)
        await talk.send({ type: "undo" })
        await vi.waitFor(() => expect(existsSync(talk.bench.path(talk.file("redone")))).toBe(false))
        await talk.send({ type: "redo" })
        await vi.waitFor(() => expect(existsSync(talk.bench.path(talk.file("redone")))).toBe(true))
        await talk.say({ id: "m3", text: "Go on." })
        await talk.idle(4)
      },
      check: ({ shown }) => expect(shown).toContain("Write it."),
    },
  },
  auto: {
    "allows what would be asked": {
      steps: (file) => [
        { calls: [{ name: "write", input: { path: file("new"), content: "new\n" } }] },
        ...DONE,
      ],
      play: async (talk) => {
        await talk.send({ type: "auto", on: true })
        await talk.begin()
        await talk.idle(2)
      },
      check: ({ talk }) => expect(existsSync(talk.bench.path(talk.file("new")))).toBe(true),
    },
  },
  style: {
    "is told to the model": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "style", name: "concise" })
        await talk.say({ id: "m2", text: "Go on." })
        await talk.idle(2)
      },
      check: ({ sent }) => expect(sent).toContain("as few words as"),
    },
  },
  task: {
    "tells of a task, and stops it": {
      steps: (file) => [bash(`cat ${file("gate")}`, true), ...DONE],
      gates: ["gate"],
      play: async (talk) => {
        await talk.begin()
        await talk.idle(2)
        await talk.send({ type: "task", id: "bash-1", do: "progress" })
        await talk.send({ type: "task", id: "bash-1", do: "stop" })
        await talk.say({ id: "m2", text: "Go on." })
        await talk.idle(3)
      },
      check: ({ sent }) => expect(sent).toMatch(/bash-1 .* was stopped by the user/),
    },
  },
  remind: {
    "is said to the model at the next boundary": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "remind", text: "The deadline is noon." })
        await talk.say({ id: "m2", text: "Go on." })
        await talk.idle(2)
      },
      check: ({ sent, shown }) => {
        expect(sent).toContain("The deadline is noon.")
        expect(shown).not.toContain("The deadline is noon.")
      },
    },
  },
  reminder: {
    "switches a kind off": {
      play: async (talk) => {
        await talk.begin()
        await talk.idle(1)
        await talk.send({ type: "reminder", kind: "build_switch", on: false })
        await talk.logged(({ type }) => type === "kind")
      },
    },
  },
  abort: {
    "ends the turn where it is": {
      steps: (file) => [bash(`cat ${file("gate")}`), ...DONE],
      gates: ["gate"],
      play: async (talk) => {
        await talk.begin()
        await talk.logged(({ type }) => type === "replied")
        await talk.send({ type: "abort" })
        await talk.logged(({ type }) => type === "aborted")
      },
    },
  },
}

/** The same words for a row in prompts and in names of files. */
function slug(type: string, what: string): string {
  return `${type}-${what.replaceAll(/\W+/g, "-")}`
}

const SCRIPT: Script = {
  steps: DONE,
  scripts: Object.entries(ROWS).flatMap(([type, rows]) =>
    Object.entries(rows).flatMap(([what, { steps }]) =>
      WAYS.map((way) => ({
        when: opening(slug(type, what), way),
        steps: steps?.((name) => fileOf(slug(type, what), way, name)) ?? DONE,
      })),
    ),
  ),
}

/** One folder, one store, one model, one server and one editor for all scenarios. */
async function startAll() {
  const model = await serverWith(SCRIPT)
  const bench = benchWith()
  const [server, editor] = await Promise.all([
    serving(bench, reaching(model.url)),
    editorWith(bench, model, { args: ["--model", MODEL] }),
  ])
  const store = await openStore(storePlace({ SOTTO_HOME: bench.home }), { env: {} })
  const links: Readonly<Record<Way, () => Promise<Link>>> = {
    jsonl: () => linkByLines(talk(bench, model, "--model", MODEL)),
    http: () => linkByHttp(server.user, bench),
    acp: () => linkByEditor(editor),
  }
  const open = async (way: Way, row: string) => {
    const link = await links[way]()
    return new Talk(way, row, bench, link, () => readStored(store, link.session))
  }
  return { model, bench, store, open }
}

async function linkByLines(run: ReturnType<typeof talk>): Promise<Link> {
  const { id: session } = await run.wait({ type: "session" })
  return {
    session,
    send: async (command) => run.send(command),
    question: async () => (await run.wait({ type: "ask" })).id,
    refusal: async (command) => {
      const before = run.all({ type: "error" }).length
      run.send(command)
      const { message } = await run.wait({ type: "error" }, before + 1)
      return message.replace(/^line \d+: /, "")
    },
    end: () => run.end(),
  }
}

async function linkByHttp(user: Client, bench: Bench): Promise<Link> {
  const session = await user.open(bench.cwd, { model: MODEL })
  const at = (path: string) => `/sessions/${session}/${path}`
  const body = (fields: object) => [JSON.stringify(fields), { "content-type": "application/json" }] as const
  const post = ({ type, ...fields }: Command) => {
    if (type === "cancel") return user.send("DELETE", at(`queue/${(fields as { id: string }).id}`))
    if (type !== "edit") return user.post(at(type === "reminder" ? "reminders" : type), fields)
    const { id, ...patch } = fields as { id: string }
    return user.send("PATCH", at(`queue/${id}`), ...body(patch))
  }
  return {
    session,
    send: async (command) => {
      const { status, text } = await post(command)
      expect([status, text]).toEqual([200, expect.any(String)])
    },
    question: async () => {
      const events = user.events(at("events?from=0"))
      const { id } = await events.wait("ask")
      await events.close()
      return String(id)
    },
    refusal: async (command) => {
      const { status, json } = await post(command)
      expect(status).toBeGreaterThanOrEqual(400)
      const { message } = json.error as { readonly message: string }
      return message.replace(/^the body is wrong: /, "")
    },
    end: async () => {},
  }
}

async function linkByEditor(editor: Editor): Promise<Link> {
  const session = await editor.open()
  const send = async ({ type, ...fields }: Command): Promise<unknown> => {
    if (type !== "say") return editor.agent.extMethod(`_sotto/${type}`, { sessionId: session, ...fields })
    const { text = "", parts = [{ type: "text", text }], ...options } = fields as Said
    const prompt = parts.map(blockOf)
    return editor.agent.prompt({ sessionId: session, prompt, _meta: { sotto: options } })
  }
  return {
    session,
    send: async (command) => {
      const answered = send(command)
      // A prompt is answered at the end of its turn, which is for the scenario to wait for.
      if (command.type === "say") answered.catch(() => {})
      else await answered
    },
    question: async () => {
      const isOurs = ({ sessionId }: { readonly sessionId: string }) => sessionId === session
      const asked = await editor.until(() => editor.asked.find(isOurs), "a question")
      return (asked._meta as { readonly sotto: { readonly question: string } }).sotto.question
    },
    refusal: (command) =>
      send(command).then(
        () => "nothing",
        (error: Error) => error.message.replace(/^Invalid params: /, ""),
      ),
    end: () => editor.agent.closeSession({ sessionId: session }),
  }
}

function blockOf(part: ContentPart): ContentBlock {
  if (part.type !== "text") throw new Error("no scenario has media")
  const { text, ignored } = part
  return { type: "text", text, ...(ignored && { _meta: { sotto: { ignored } } }) }
}

/** Facts of the world, which are looked up when a session is opened or when it first has something to do. */
const WORLD = /^(trust|date|agents|economy|compaction:auto|environment:.*)$/

/** What an entry says, without ids that the engine and the model made up. */
function saidBy({ at: _, seq: __, ...entry }: Entry): unknown {
  switch (entry.type) {
    case "step": {
      const { turn, step, agent, delivered, reminders, epoch } = entry
      const kinds = reminders.map(({ kind }) => kind)
      return { type: "step", turn, step, agent, delivered, kinds, reasons: epoch?.reasons }
    }
    case "replied": {
      const parts = entry.reply.parts.map((part) => (part.type === "tool-call" ? { ...part, id: "" } : part))
      return { type: "replied", parts, stop: entry.reply.stop }
    }
    case "result":
      return { type: "result", output: entry.output, error: entry.error }
    case "rewound":
      return { type: "rewound", to: entry.to, facts: entry.facts }
    default:
      return entry
  }
}

/** What the log of a session says, without the name of the way and of what is different in each run. */
async function comparable({ way, view }: Talk): Promise<unknown> {
  const { log } = await view()
  const entries = log.filter(
    (entry) => entry.type !== "opened" && !(entry.type === "observed" && WORLD.test(entry.key)),
  )
  const text = JSON.stringify(entries.map(saidBy))
    .replaceAll(new RegExp(`-${way}\\b`, "g"), "-WAY")
    .replaceAll(/(bash-1)-\w+\.txt/g, "$1-RUN.txt")
    .replaceAll(/"(pid|run)":("[^"]*"|\d+)/g, '"$1":"RUN"')
    // Paths of different lengths stand in what was paid for, and in what is counted.
    .replaceAll(/"(usage|prices|tokens)":\{[^}]*\}/g, '"$1":"PAID"')
  return JSON.parse(text)
}

/** A refusal as it stands after the number of a line. Of the fields of `say` each way has its own selection. */
function plain(refusal: string): string {
  const text = refusal.replace(/\.$/, "").replace(/("say" has the fields) .*/, "$1")
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

it("has a row for every command", () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(Object.keys(SESSION_COMMANDS).toSorted())
  for (const rows of Object.values(ROWS)) expect(Object.keys(rows).length).toBeGreaterThan(0)
})

it("has every command in the help of `sotto run` and in docs/agent.md", async () => {
  const { out } = await finished(benchWith(), ["run", "--help"])
  const page = readFileSync(join(import.meta.dirname, "../../../docs/agent.md"), "utf8")
  for (const type of Object.keys(SESSION_COMMANDS)) {
    expect(out).toContain(`{"type":"${type}"`)
    expect(page).toMatch(new RegExp(`^\\|.*\`${type}[ \`]`, "m"))
  }
})

describe("over JSONL, HTTP and ACP", () => {
  const all = startAll()
  afterAll(async () => (await all).store.close())
  const rows = Object.entries(ROWS).flatMap(([type, some]) =>
    Object.entries(some).map(([what, row]) => [type, what, row] as const),
  )

  it.concurrent.each(rows)("%s: %s", async (type, what, row) => {
    const { model, bench, open } = await all
    const name = slug(type, what)
    const play = async (way: Way) => {
      const gates = new Map((row.gates ?? []).map((gate) => [gate, bench.gate(fileOf(name, way, gate))]))
      const one = await open(way, name)
      await row.play(one, async (gate) => gates.get(gate)?.open())
      return one
    }
    const talks = await Promise.all(WAYS.map(play))
    const [first, ...others] = await Promise.all(talks.map(comparable))
    for (const other of others) expect(other).toEqual(first)
    for (const one of talks) {
      await one.link.end()
      const marker = opening(name, one.way)
      const sent = bodiesOf(model).filter((body) => conversationOf(body).includes(marker))
      const { out: shown } = await finished(bench, ["show", one.link.session])
      row.check?.({ sent: JSON.stringify(sent), shown, talk: one })
    }
  })

  it("refuses a command in the same words", async () => {
    const { open } = await all
    const links = await Promise.all(WAYS.map(async (way) => (await open(way, "refused")).link))
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ type: "say", text: "x", delivery: "soon" }, /^"delivery" is one of "next-step"/],
      [{ type: "say", text: "x", hiden: true }, /^unknown field "hiden", so nothing was done; "say" has/],
      [{ type: "agent", name: "nobody" }, /^there is no agent "nobody"/],
      [{ type: "agent", name: 7 }, /^"agent" needs "name", a text/],
      [{ type: "model", model: "nobody/nothing" }, /nobody/],
      [{ type: "answer", id: "ask-9", answer: "allow" }, /^nobody asked "ask-9"/],
      [{ type: "compact", fokus: "x" }, /^unknown field "fokus", so nothing was done; "compact" has/],
      [{ type: "rewind", to: "m9" }, /^no turn was opened by a message "m9"/],
      [{ type: "undo" }, /^there is no turn to go back before/],
      [{ type: "undo", edited: "perhaps" }, /^"edited" is one of "refuse", "skip", "overwrite"/],
      [{ type: "redo" }, /^there is no rewind to take back/i],
      [{ type: "auto", on: "yes" }, /^"auto" needs "on", true or false/],
      [{ type: "style", name: "baroque" }, /^there is no output style "baroque"/],
      [{ type: "task", id: "bash-9", do: "stop" }, /^there is no task "bash-9"/],
      [{ type: "remind", text: "" }, /^"text" is empty/],
      [{ type: "reminder", kind: "no_such", on: true }, /no_such/],
    ]
    for (const [command, words] of wrong) {
      const refusals = await Promise.all(links.map((link) => link.refusal(command as Command)))
      const [first, ...others] = refusals.map(plain)
      expect(first).toMatch(words)
      for (const other of others) expect(other).toBe(first)
    }
    await Promise.all(links.map((link) => link.end()))
  })
})
