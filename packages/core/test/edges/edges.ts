import { type Session, SottoError, type Taken } from "@sotto/core"
import { AGENTS, calls, exchange, says, start, TOOLS, work } from "../support/session.js"

/** Every session of the table has a past, a turn with a call, and a passive message in its queue. */
function begun(): Session {
  const session = start()
  session.say("First", { id: "first" })
  work(session, "past")
  exchange(session, says("Done."))
  session.say("By the way", { id: "waiting", delivery: "passive" })
  return session
}

function inTurn(): Session {
  const session = begun()
  session.say("Second")
  return session
}

function calling(): Session {
  const session = inTurn()
  exchange(session, calls("open"))
  session.say("While you work", { delivery: "passive" })
  return session
}

/** The moments at which a command can come. The first four are the phases of a session. */
export const MOMENTS: Readonly<Record<string, () => Session>> = {
  idle: begun,
  "ready, a prompt waits": inTurn,
  "ready, results are in": () => {
    const session = calling()
    session.result("open", "output")
    return session
  },
  "awaiting-reply": () => {
    const session = inTurn()
    session.next()
    session.say("While you write", { delivery: "passive" })
    return session
  },
  "awaiting-results": calling,
  "after an abort": () => {
    const session = calling()
    session.say("Held")
    session.abort()
    return session
  },
}

const waiting = (session: Session) => session.queue().at(-1)?.id ?? "waiting"

/** The request that was made last: the one in flight, if there is one. */
function newest(session: Session): string {
  const made = session.log.findLast(({ type }) => type === "step")
  return made?.type === "step" ? made.request : ""
}

/** The call that was made last: the open one, if there is one. */
const newestCall = (session: Session) =>
  session.log.some(({ type, ...entry }) => type === "replied" && JSON.stringify(entry).includes('"open"'))
    ? "open"
    : "past"

/** Every command, as the table names it. */
export const COMMANDS: Readonly<Record<string, (session: Session) => unknown>> = {
  "say(words)": (s) => s.say("More"),
  'say(words, { delivery: "now" })': (s) => s.say("More", { delivery: "now" }),
  'say(words, { delivery: "after-turn" })': (s) => s.say("More", { delivery: "after-turn" }),
  'say(words, { delivery: "passive" })': (s) => s.say("More", { delivery: "passive" }),
  "edit(queued, { content })": (s) => s.edit(waiting(s), { content: "Other words" }),
  'edit(queued, { delivery: "now" })': (s) => s.edit(waiting(s), { delivery: "now" }),
  "edit(delivered, { content })": (s) => s.edit("first", { content: "Other words" }),
  "cancel(queued)": (s) => s.cancel(waiting(s)),
  "cancel(delivered)": (s) => s.cancel("first"),
  "next()": (s) => s.next(),
  "partial(newest request)": (s) => s.partial(newest(s), says("So far")),
  "partial(unknown request)": (s) => s.partial("req-9999", says("So far")),
  "reply(newest request)": (s) => s.reply(newest(s), says("An answer.")),
  "reply(newest request), with a call": (s) => s.reply(newest(s), calls("another")),
  "reply(unknown request)": (s) => s.reply("req-9999", says("An answer.")),
  "result(newest call)": (s) => s.result(newestCall(s), "output"),
  "result(unknown call)": (s) => s.result("nobody", "output"),
  "abort()": (s) => s.abort(),
  "side()": (s) => s.side({ purpose: "title", ask: "Name it." }).id,
  "sideReply()": (s) => {
    const { id } = s.side({ purpose: "title", ask: "Name it." })
    s.sideReply(id, { parts: [{ type: "text", text: "A name" }] })
  },
  "bill()": (s) => s.bill({ purpose: "retry", model: s.model }),
  "endTurn()": (s) => s.endTurn(),
  "recover()": (s) => s.recover(),
  "note(signal)": (s) => s.note({ type: "critical", text: "Mind the gap." }),
  "observe(key, value)": (s) => s.observe("date", "2026-11-18"),
  "switchAgent(name)": (s) => s.switchAgent(AGENTS[1]?.name ?? ""),
  "switchModel(model)": (s) => s.switchModel({ id: "claude-opus-5-5" }),
  "refuseCarrier(carrier)": (s) => s.refuseCarrier("tool-result"),
  "offerTools(tools)": (s) => s.offerTools(TOOLS.slice(1)),
  "setReminder(kind, false)": (s) => s.setReminder("date_change", false),
  "compact(summary)": (s) => s.compact("Much was said."),
  "snip(ids)": (s) => s.snip(["first"]),
  "rewind(prompt)": (s) => s.rewind("first"),
  "redo()": (s) => s.redo(),
  "importMessages(messages)": (s) =>
    s.importMessages([{ id: "imported", role: "assistant", parts: [{ type: "text", text: "Hello" }] }]),
}

/** What a command does at a moment: what the session answers, and the phase that it leads to if that is another. */
export function edge(command: (session: Session) => unknown, session: Session): string {
  const [entries, phase] = [session.log.length, session.phase]
  let answer: unknown
  try {
    answer = command(session)
  } catch (error) {
    if (!(error instanceof SottoError)) throw error
    return `error \`${error.code}\``
  }
  if (isTaken(answer) && !answer.taken) return answer.why
  const leads = session.phase === phase ? "" : ` → ${session.phase}`
  if (session.log.length > entries || leads !== "") return `yes${leads}`
  // What was said so far is not logged.
  return isTaken(answer) ? "yes" : "–"
}

function isTaken(answer: unknown): answer is Taken {
  return answer !== null && typeof answer === "object" && "taken" in answer
}

/** `docs/reference/edges.md`. */
export function edgesPage(): string {
  const moments = Object.entries(MOMENTS)
  const rows = Object.entries(COMMANDS).map(([name, command]) => [
    `\`${name}\``,
    ...moments.map(([, make]) => edge(command, make())),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  return [
    "# Commands and phases",
    "",
    "<!-- Written by `npm run docs` from packages/core/test/edges, which gives every command at every moment. -->",
    "",
    "What each command of a session does in each phase, and after an abort. No command leads to a session that cannot go on:",
    "after each cell of the table the next prompt was answered, with requests that are valid. A guide with examples is",
    "[Interrupting a running model](../interrupting.md).",
    "",
    "- **yes**: it has happened, and is in the log (what `partial` is given is not logged). The arrow names the new phase.",
    "- **–**: there is nothing to do, and nothing is logged.",
    '- **late**: the answer is `{ taken: false, why: "late" }`, and nothing is logged.',
    "- **error**: a `SottoError` with this code, and nothing is logged.",
    "",
    line(["command", ...moments.map(([name]) => name)]),
    line(["---", ...moments.map(() => "---")]),
    ...rows.map(line),
    "",
    "How to read the less obvious cells:",
    "",
    '- `say` with "now" cuts a model call short. While tools run it waits for their results, as "next-step" does.',
    "- After an abort, what was queued is held: nothing starts the model before the next prompt, which releases it. `edit` does",
    "  not release it.",
    "- `abort` of an idle session holds what is queued: here a passive message is.",
    "- `endTurn` without a turn does nothing: a prompt that waits opens its turn all the same.",
    "- `next` decides only where the session is ready. In other phases it returns what `pending` says.",
    "- `recover` answers calls whose tool may not be run again. The call of this table is of a tool that may.",
    "- `switchAgent`, `switchModel`, `compact`, `snip` and `offerTools` are accepted at any time. They take effect at the next",
    "  boundary at which they can; `refuseCarrier` replaces a request in flight by another one at once.",
    "",
  ].join("\n")
}
