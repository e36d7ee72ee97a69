import type { KindSettings, PermissionRule } from "@sotto/core"
import type { SandboxSetting } from "../../execution/permissions/sandbox/sandbox.js"
import { printable } from "../../platform/text/printable.js"
import type { AgentSettings, ConfigFile } from "../config/fields.js"
import { type DigestedItem, digestedItem, digestOf } from "./item.js"
import { agentText, hookText, languageText, ruleText, serverText } from "./shown.js"

type Settings = Omit<ConfigFile, "$schema">
type Value<F extends keyof Settings> = NonNullable<Settings[F]>

/** What a folder may do with one field of `sotto.json`. */
interface FieldRule<F extends keyof Settings> {
  /** In a word, for people. */
  readonly what: string
  /** What an untrusted folder may still say in it; nothing unless given. */
  readonly untrusted?: (value: Value<F>) => Settings[F]
  /** What of it takes effect only with trust; all of it in one unless given. */
  readonly needs?: (value: Value<F>) => readonly Need[]
}

/**
 * Which entry of a field, how it is shown, and all that it says: when that changes, the user is asked again. `rules` is
 * the list that a permission rule stands in.
 */
type Need = readonly [name: string, detail: string, value: unknown, rules?: readonly string[] | undefined]

/** Every field of `sotto.json`. A new field does not compile until this table says what a folder may do with it. */
const FIELDS: { readonly [F in keyof Required<Settings>]: FieldRule<F> } = {
  permission: {
    what: "permission",
    // Judged so that they can only tighten: see policy.ts.
    untrusted: (rules) => rules,
    needs: (rules) => {
      // In another order, or without an exception, the same rule allows something else.
      const all = digestOf(rules)
      const texts = rules.map(ruleText)
      return rules
        .filter(widens)
        .map((rule, i): Need => ["", ruleText(rule), all, i === 0 ? texts : undefined])
    },
  },
  agents: {
    what: "agent",
    untrusted: (agents) =>
      Object.fromEntries(
        Object.entries(agents).flatMap(([name, { permission }]) =>
          permission === undefined ? [] : [[name, { permission }]],
        ),
      ),
    needs: (agents) =>
      Object.entries(agents)
        .filter(([, agent]) => needsTrust(agent))
        .map(([name, agent]) => [name, agentText(agent), agent]),
  },
  // A pattern could name a file of secrets, in the folder as well as outside.
  instructions: {
    what: "instructions",
    needs: (patterns) => patterns.map((pattern, i): Need => [String(i), `reads ${pattern}`, pattern]),
  },
  hooks: {
    what: "hook",
    needs: (hooks) =>
      Object.entries(hooks).flatMap(([event, list]) =>
        list.map((hook, i): Need => [`${event}.${i}`, hookText(hook), hook]),
      ),
  },
  mcp: {
    what: "MCP server",
    needs: (servers) => Object.entries(servers).map(([name, server]) => [name, serverText(server), server]),
  },
  lsp: {
    what: "language server",
    needs: (servers) => Object.entries(servers).map(([name, server]) => [name, languageText(server), server]),
  },
  reminders: {
    what: "reminder",
    needs: (kinds) => Object.entries(kinds).map(([kind, one]) => [kind, JSON.stringify(one), one]),
  },
  models: {
    what: "model",
    needs: (models) => Object.entries(models).map(([name, one]) => [name, JSON.stringify(one), one]),
  },
  model: { what: "model" },
  agent: { what: "agent" },
  // Only the user's own file can set these. A folder that does gets a notice; the user is not asked.
  projects: { what: "permission", needs: () => [] },
  env: { what: "environment", needs: () => [] },
  environment: { what: "environment", needs: () => [] },
  processes: { what: "setting", needs: () => [] },
  terminal: { what: "setting", needs: () => [] },
  workspaces: { what: "setting", needs: () => [] },
  store: { what: "setting", needs: () => [] },
  retention: { what: "setting", needs: () => [] },
  tenants: { what: "setting", needs: () => [] },
  webhooks: { what: "setting", needs: () => [] },
  // It can only narrow the user's own setting. It needs trust all the same: it decides how every command runs, and where
  // the user has set none, "off" would be the folder's word.
  sandbox: { what: "sandbox" },
  auto: { what: "permission", needs: (on) => (on ? [["", "act without asking", on]] : []) },
  style: { what: "style" },
  think: { what: "setting" },
  budget: { what: "setting" },
  system: { what: "setting" },
  channelsWake: { what: "setting" },
  snip: { what: "setting" },
  nonce: { what: "setting" },
  maxSteps: { what: "setting" },
  collectTimeout: { what: "setting" },
  titles: { what: "setting" },
  cacheDiagnostics: { what: "setting" },
  // Which private hosts may be asked is for the user's own file alone: see `withoutPrivate`.
  web: {
    what: "setting",
    needs: ({ search }) => (search === undefined ? [] : [["search", `search: ${search}`, search]]),
  },
  compaction: { what: "setting" },
  economy: { what: "setting" },
  snapshots: { what: "setting" },
  limits: { what: "setting" },
  // It changes what another agent's model is told.
  proxy: { what: "proxy" },
}

/** Keeps the part of a folder's `sotto.json` that counts although the user does not trust the folder. */
export function untrustedPart(found: Settings): Settings {
  const kept = fieldsOf(found).flatMap(([field, value]) => {
    const part = ruleFor(field).untrusted?.(value)
    return part === undefined ? [] : [[field, part]]
  })
  return Object.fromEntries(kept)
}

/** Lists what in a folder's `sotto.json` takes effect only with trust. `file` is how it is called. */
export function neededBy(found: Settings, file: string): readonly DigestedItem[] {
  return fieldsOf(found).flatMap(([field, value]) => {
    const { what, needs = (all): readonly Need[] => [["", JSON.stringify(all), all]] } = ruleFor(field)
    return needs(value).map(([name, detail, whole, rules]) => {
      const where = `${file}: ${field}${name === "" ? "" : `.${name}`}`
      const item = digestedItem(what, where, detail, [detail, whole])
      return rules === undefined ? item : { ...item, rules: rules.map(printable) }
    })
  })
}

const OWN_ONLY: readonly (keyof Settings)[] = [
  "projects",
  "env",
  "environment",
  "processes",
  "terminal",
  "workspaces",
  "store",
  "retention",
  "tenants",
  "webhooks",
]

/** Lists what a folder says that only the user's own file can say, in words for the user. */
export function ownOnly(found: Settings, file: string): readonly string[] {
  return OWN_ONLY.filter((field) => found[field] !== undefined).map(
    (field) => `${file}: ${field} is ignored: only your own sotto.json can say it.`,
  )
}

/**
 * Says whether the file of a folder may set a field: always as far as it tightens, if the user trusts the folder, or
 * never.
 */
export function folderMaySet(field: keyof Settings): "tightening" | "trusted" | "never" {
  if (OWN_ONLY.includes(field)) return "never"
  return ruleFor(field).untrusted === undefined ? "trusted" : "tightening"
}

const REACHES: readonly SandboxSetting[] = ["off", "workspace", "read-only"]

/**
 * Chooses the narrower of what the user's own file and a trusted folder say: a folder lets no agent out of a sandbox.
 */
export function narrowerSandbox(
  own: SandboxSetting | undefined,
  folder: SandboxSetting | undefined,
): SandboxSetting | undefined {
  if (own === undefined || folder === undefined) return own ?? folder
  return REACHES.indexOf(own) >= REACHES.indexOf(folder) ? own : folder
}

/** Removes the texts from the settings of reminders: only the user may replace what the harness says. */
export function withoutTexts(
  reminders: Value<"reminders">,
  file: string,
): { readonly reminders: Value<"reminders">; readonly notices: readonly string[] } {
  const isText = (one: KindSettings) => one !== false && one.text !== undefined
  const kept = Object.entries(reminders).map(([kind, one]): [string, KindSettings] => {
    if (one === false) return [kind, one]
    const { text: _, ...rest } = one
    return [kind, rest]
  })
  const ignored = Object.entries(reminders).filter(([, one]) => isText(one))
  return {
    reminders: Object.fromEntries(kept),
    notices: ignored.map(
      ([kind]) =>
        `${file}: reminders.${kind}.text is ignored: a folder cannot replace a text. Put it into your own sotto.json.`,
    ),
  }
}

/** Removes the private hosts from what a folder says of the web: only the user may open their network to pages. */
export function withoutPrivate(
  web: Value<"web">,
  file: string,
): { readonly web: Value<"web">; readonly notices: readonly string[] } {
  const { private: hosts, ...rest } = web
  const notices =
    hosts === undefined ? [] : [`${file}: web.private is ignored: only your own sotto.json can say it.`]
  return { web: rest, notices }
}

function fieldsOf(found: Settings): readonly [keyof Settings, Value<keyof Settings>][] {
  return Object.entries(found) as [keyof Settings, Value<keyof Settings>][]
}

/** Finds the table's entry for a field whose name is known only as the program runs: it takes that field's values. */
function ruleFor(field: keyof Settings): FieldRule<keyof Settings> {
  return FIELDS[field] as unknown as FieldRule<keyof Settings>
}

function widens({ action }: PermissionRule): boolean {
  return action === "allow"
}

function needsTrust({ permission = [], ...rest }: AgentSettings): boolean {
  // "ask" may loosen what a built-in agent denies.
  return Object.keys(rest).length > 0 || permission.some(({ action }) => action !== "deny")
}
