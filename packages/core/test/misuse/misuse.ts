import {
  type Agent,
  type Carrier,
  createSession,
  type Dialect,
  defineRule,
  dynamic,
  type Message,
  type Moment,
  onCadence,
  onChange,
  onSignal,
  type Reply,
  type Rule,
  removed,
  restoreSession,
  standardRules,
} from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import type { Layout } from "@sotto/core/dialect"
import { cacheModel } from "@sotto/core/testing"

declare module "@sotto/core" {
  interface CustomSignals {
    "misuse.deployed": { readonly to: string }
  }
  interface CustomFacts {
    "misuse:*": { readonly weight: number }
  }
}

const base = { model: { id: "claude-sonnet-4-5" }, now: () => 0, newId: () => "id" }
const agents = [{ name: "build" }, { name: "plan" }] as const
const mine = defineRule({ kind: "mine", decide: () => [] })

/** Never run: what the compiler says of each is what counts. */
const session = () => createSession({ ...base, agents })
const ruled = () => createSession({ ...base, agents, rules: [...standardRules(), mine] })

/** Wrong uses of the engine, each of which the compiler refuses. The test removes the directives and counts the errors. */
export const MISUSES: Readonly<Record<string, () => unknown>> = {
  "switching to an agent that is not there": () =>
    // @ts-expect-error
    session().switchAgent("buidl"),
  "starting with an agent that is not there": () =>
    // @ts-expect-error
    createSession({ ...base, agents, agent: "biuld" }),
  "a session without agents": () =>
    // @ts-expect-error
    createSession(base),
  "a session without a clock": () =>
    // @ts-expect-error
    createSession({ agents, model: base.model, newId: base.newId }),
  "a model by its name alone": () =>
    // @ts-expect-error
    createSession({ ...base, agents, model: "claude-sonnet-4-5" }),
  "a rule on a signal that is not declared": () =>
    // @ts-expect-error
    onSignal({ kind: "a", signal: "file.edted", say: () => [] }),
  "a rule on a list of signals with one that is not declared": () =>
    // @ts-expect-error
    onSignal({ kind: "a", signal: ["file.edited", "misuse.deplyed"], say: () => [] }),
  "a rule on a fact that is not declared": () =>
    // @ts-expect-error
    onChange({ kind: "a", fact: "dat", changed: () => [] }),
  "a cadence since a signal that is not declared": () =>
    // @ts-expect-error
    onCadence({ kind: "a", every: { steps: 3 }, since: "todo.writen", say: () => [] }),
  "a line where forms are meant": () =>
    // @ts-expect-error
    defineRule({ kind: "a", decide: ({ step }) => (step > 1 ? [{ key: "k", line: "Be brief." }] : []) }),
  "a mode of the system prompt that is not there": () =>
    // @ts-expect-error
    createSession({ ...base, agents, system: "pined" }),
  "settings for a kind that no rule has": () =>
    // @ts-expect-error
    createSession({ ...base, agents, reminders: { plan_mod: false } }),
  "settings for a kind that none of the rules given has": () =>
    // @ts-expect-error
    createSession({ ...base, agents, rules: [mine], reminders: { plan_mode: false } }),
  "`true` as the setting of a kind": () =>
    // @ts-expect-error
    createSession({ ...base, agents, reminders: { plan_mode: true } }),
  "a carrier that is not there, in a setting": () =>
    // @ts-expect-error
    createSession({ ...base, agents, reminders: { plan_mode: { carrier: "system" } } }),
  "switching off a kind that is not there": () =>
    // @ts-expect-error
    session().setReminder("plan-mode", false),
  "switching off a kind that the rules given do not have": () =>
    // @ts-expect-error
    ruled().setReminder("mien", false),
  "a signal of an unknown type": () =>
    // @ts-expect-error
    session().note({ type: "file.editted", path: "a.ts" }),
  "a signal without a field it needs": () =>
    // @ts-expect-error
    session().note({ type: "file.edited" }),
  "a signal with a field of the wrong type": () =>
    // @ts-expect-error
    session().note({ type: "loop.detected", tool: "read", times: "3" }),
  "a signal with a misspelt field": () =>
    // @ts-expect-error
    session().note({ type: "file.edited", path: "a.ts", auther: "ann" }),
  "a signal of one's own with a wrong field": () =>
    // @ts-expect-error
    session().note({ type: "misuse.deployed", to: 5 }),
  "a signal as a text": () =>
    // @ts-expect-error
    session().note("file.edited"),
  "a fact with an unknown key": () =>
    // @ts-expect-error
    session().observe("datum", "2026-11-16"),
  "a fact with a value of the wrong type": () =>
    // @ts-expect-error
    session().observe("auto", "yes"),
  "a fact of a family with a value of the wrong type": () =>
    // @ts-expect-error
    session().observe("instructions:AGENTS.md", 5),
  "a fact of one's own with a value of the wrong type": () =>
    // @ts-expect-error
    session().observe("misuse:box", { weight: "heavy" }),
  "`undefined` for a fact that is gone": () =>
    // @ts-expect-error
    session().observe("date", undefined),
  "a message that is no text and no parts": () =>
    // @ts-expect-error
    session().say({ text: "hello" }),
  "a delivery that is not there": () =>
    // @ts-expect-error
    session().say("hello", { delivery: "later" }),
  "an origin that is not there": () =>
    // @ts-expect-error
    session().say("hello", { origin: { kind: "robot" } }),
  "a channel without its server": () =>
    // @ts-expect-error
    session().say("hello", { origin: { kind: "channel" } }),
  "a request without looking at what is next": () =>
    // @ts-expect-error
    session().next().request,
  "a reply as a text": () =>
    // @ts-expect-error
    session().reply("req-1", "hello"),
  "a reply with a provider's own reason to stop": (): Reply =>
    // @ts-expect-error
    ({ parts: [], stop: "end_turn" }),
  "a result as an object": () =>
    // @ts-expect-error
    session().result("call-1", { ok: true }),
  "refusing a carrier that is not there": () =>
    // @ts-expect-error
    session().refuseCarrier("developer-message"),
  "a transcript in the providers' form": () =>
    // @ts-expect-error
    session().importMessages([{ role: "user", content: "hello" }]),
  "a message with a role that is not there": (): Message =>
    // @ts-expect-error
    ({ id: "1", role: "system", parts: [] }),
  "restoring from a log as text": () =>
    // @ts-expect-error
    restoreSession({ ...base, agents }, "[]"),
  "changing the log": () =>
    // @ts-expect-error
    session().log.push({}),
  "an agent with a mode that is not there": (): Agent =>
    // @ts-expect-error
    ({ name: "build", mode: "main" }),
  "a rule that decides nothing": () =>
    // @ts-expect-error
    defineRule({ kind: "empty" }),
  "a rule whose memo is of another type than it says": () =>
    // @ts-expect-error
    defineRule({ kind: "memo", decide: (_: Moment<{ told: number }>) => [{ memo: { told: "once" } }] }),
  "a rule that decides later": (): Rule =>
    // @ts-expect-error
    ({ kind: "late", decide: async () => [] }),
  "a reminder in a tag that nobody guards": () =>
    onSignal({
      kind: "framed",
      signal: "misuse.deployed",
      // @ts-expect-error
      say: () => [{ line: "see", body: { text: "x", source: "y", trust: "untrusted", tag: "deploy-log" } }],
    }),
  "a rule on change that says a text": () =>
    // @ts-expect-error
    onChange({ kind: "texts", fact: "date", changed: () => "it changed" }),
  "a carrier of no dialect": (): Carrier =>
    // @ts-expect-error
    "carrier-pigeon",
  "a dialect without a decoder of responses": (): Dialect =>
    // @ts-expect-error
    ({ name: "half", encode: () => ({}), validate: () => [] }),
  "a layout without a tail": (): Layout<object> =>
    // @ts-expect-error
    ({ head: () => "{", fragment: () => ({ before: "", after: "" }) }),
  "encoding a session in place of a request": () =>
    // @ts-expect-error
    anthropic.encode(session()),
  "an option of another dialect": () =>
    // @ts-expect-error
    cacheModel("anthropic-messages"),
}

/** Right uses that look much like the wrong ones. */
export const USES: readonly (() => unknown)[] = [
  () => session().switchAgent("plan"),
  () => ruled().setReminder("mine", false),
  () => ruled().setReminder("plan_mode", false),
  () => session().note({ type: "misuse.deployed", to: "production" }),
  () => session().note(dynamic({ type: "from.a.plugin", anything: 1 })),
  () => session().observe("misuse:box", { weight: 5 }),
  () => session().observe("misuse:box", removed()),
  () => session().observe(dynamic("plugin:state"), { anything: 1 }),
  () => createSession({ ...base, agents: [{ name: "build" } as Agent] }).switchAgent("any name"),
  () => createSession({ ...base, agents, rules: [mine as Rule] }).setReminder("any kind", true),
  () => createSession({ ...base, agents, rules: [mine], reminders: { mine: false } }),
  () => restoreSession({ ...base, agents }, [], { crashed: true }).switchAgent("build"),
  () =>
    defineRule({
      kind: "memo",
      decide: ({ memo }: Moment<{ told: number }>) => [{ memo: { told: (memo()?.told ?? 0) + 1 } }],
    }),
]
