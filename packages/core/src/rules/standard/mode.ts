import { inline } from "../../text/reminder-text.js"
import { type Agent, isAllowed, isPlanner, threadOf } from "../../vocabulary/agent.js"
import type { Json } from "../../vocabulary/json.js"
import { isBlank } from "../../vocabulary/message.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Moment, type Rule } from "../rule.js"
import { onChange } from "../shapes.js"
import { known, stringIn } from "./facts.js"
import type { CheckedNames } from "./names.js"

/**
 * The agent differs from the one the model was last told of, or, untold, the one that last answered. Going by who
 * answered alone would miss a switch that was told in a request that was then aborted.
 */
export const buildSwitch = defineRule({
  kind: "build_switch",
  priority: 90,
  exempt: true,
  afterCompaction: "keep",
  decide: (moment) => {
    const { agent, answeredBy, agentNamed, memo } = moment
    const told = (memo() as string | undefined) ?? answeredBy?.name
    if (told === agent.name) return []
    if (told === undefined) return [{ memo: agent.name }]
    const before = agentNamed(told)
    const planned = before !== undefined && isPlanner(before) && !isPlanner(agent)
    const forms = [{ line: switched(told, agent, planned ? planToCarryOut(moment) : undefined) }]
    return [{ memo: agent.name, forms, values: { from: told, to: agent.name } }]
  },
})

/** Names the plan that planning has left behind; undefined without one, or if it was carried out. */
function planToCarryOut(moment: Moment): string | undefined {
  const plan = planFile(moment)
  // Where no harness says which file it is, the plan is what the planner answered.
  if (plan === undefined)
    return moment.answeredBy && isPlanner(moment.answeredBy) ? "the plan that was made" : undefined
  return isWritten(plan) && !plan.finished ? `the plan in ${inline(plan.path)}` : undefined
}

function switched(from: string, agent: Agent, plan: string | undefined): string {
  const change = `The mode changed from ${inline(from)} to ${inline(agent.name)}`
  const mayEdit = isAllowed(agent, "edit", "write")
  if (isPlanner(agent) || mayEdit === false) {
    const mayRead = isAllowed(agent, "read") ?? isPlanner(agent)
    const reading = mayRead ? "may be read but not changed" : "may not be changed"
    const but = isPlanner(agent) ? ", plan files excepted," : ""
    return `${change}. Files ${reading}${but} until the mode changes again.`
  }
  const task = plan === undefined ? "" : ` Carry out ${plan}, and report progress as you go.`
  if (mayEdit) return `${change}. ${allowed(agent)} is allowed, as far as the permissions go.${task}`
  // The agent's rules do not say what it may do, so nothing is claimed.
  const what = inline(agent.description ?? "").replace(/[.\s]+$/, "")
  return `${change}${what === "" ? "" : `: ${what}`}.${task}`
}

function allowed(agent: Agent): string {
  return isAllowed(agent, "bash") ? "Changing files and running commands" : "Changing files"
}

/**
 * Tells the workflow in full each time planning begins, then in short, so that it is neither forgotten nor repeated on
 * every request. The memo is true while planning lasts.
 */
export const planMode = (names: CheckedNames): Rule<StandardKind> =>
  defineRule({
    kind: "plan_mode",
    priority: 85,
    exempt: true,
    throttle: { turns: 5 },
    decide: (moment) => {
      const wasPlanning = moment.memo() === true
      if (!isPlanning(moment)) {
        const { name, planning } = moment.agent
        const why = 'the agent is called "plan", but `planning: true` is missing'
        return [
          ...(name === "plan" && planning === undefined ? [{ why }] : []),
          ...(wasPlanning ? [{ memo: false }] : []),
        ]
      }
      const tools = planToolsOf(moment, names)
      const line = wasPlanning ? planInShort(tools) : planInFull(tools)
      const values = { path: planFile(moment)?.path ?? "" }
      return [{ memo: true, anew: !wasPlanning, forms: [{ line }], values }]
    },
  })

/** What a planner has to work with: the tools that it may use, and the file for its plan. */
interface PlanTools {
  readonly names: CheckedNames
  readonly isSubagent: boolean
  /** How the texts call the plan file; undefined if the plan goes into the answer. */
  readonly file: string | undefined
}

/**
 * Names the tools of planning. A tool that shows the plan file says that there is one. The plan of a subagent is its
 * answer.
 */
function planToolsOf(moment: Moment, all: CheckedNames): PlanTools {
  const names = usableNames(moment, all)
  const isSubagent = threadOf(moment.agent) === "subagent"
  const { path, earlier } = planFile(moment) ?? {}
  const before = earlier === undefined ? "" : ` (or the one from before, ${inline(earlier.path)})`
  const file = path === undefined ? "the plan file" : `the plan file, ${inline(path)}${before}`
  const hasFile = !isSubagent && (path !== undefined || names.plan_exit !== undefined)
  return { names, isSubagent, file: hasFile ? file : undefined }
}

/** The permission that each named tool asks for. */
const PERMISSIONS: Readonly<Partial<Record<keyof CheckedNames, readonly string[]>>> = {
  ...{ read: ["read"], glob: ["read"], grep: ["read"], bash: ["bash", "bash:read"], question: ["question"] },
  ...{ task: ["task"], explore: ["task"], design: ["task"], plan_exit: ["plan_exit"] },
}

/** Leaves out what the agent's rules deny, and subagents that are not among those it may call. */
function usableNames(moment: Moment, names: CheckedNames): CheckedNames {
  const callable = known(moment, "agents")
  const isCallable = (name: string) =>
    !Array.isArray(callable) || callable.some((one: Json) => stringIn(one, "name") === name)
  return Object.fromEntries(
    Object.entries(names).filter(([part, name]) => {
      const permissions = PERMISSIONS[part as keyof CheckedNames]
      if (permissions !== undefined && isAllowed(moment.agent, ...permissions) === false) return false
      return !["explore", "design"].includes(part) || isCallable(String(name))
    }),
  )
}

function planInFull(tools: PlanTools): string {
  const { names, isSubagent, file } = tools
  const active = `Plan mode is active: ${nothingBut(file)}.${usable(tools)}`
  if (isSubagent)
    return `${active} Work out an approach and what speaks against it, compare it with the task and with the code as it is, and give the plan as your answer.`
  const { explore, design, question, plan_exit } = names
  const helped = (agents: string | undefined, what: string) =>
    agents === undefined ? "" : `, with up to three ${agents} subagents in parallel ${what}`
  const ask = question === undefined ? "" : ` with the ${question} tool`
  const finish =
    plan_exit === undefined ? "show the plan to the user" : `call ${plan_exit}. It shows the plan to the user`
  return `${active} The work goes in five phases.
1. Understand: read what the request touches${helped(explore, "where that helps")}, and ask the user${ask} what only they can decide.
2. Design: work out an approach, and what speaks against it${helped(design, "where several approaches deserve a draft")}.
3. Review: compare it with the request and with the code as it is.
4. Write: put the plan into ${file ?? "your answer"}.
5. Finish: ${finish}, who approves it or says what to change.`
}

function nothingBut(file: string | undefined): string {
  return `nothing may be changed${file === undefined ? "" : ` except ${file}`}`
}

/** Names the tools that plan mode leaves, as far as the harness has named them. */
function usable({ names, isSubagent, file }: PlanTools): string {
  const { read, glob, grep, bash, write, edit, task, explore, design, question } = names
  const agents = [explore, design].filter(Boolean).join(" and ")
  const helped = agents === "" ? task : task && `${task} with ${agents} subagents, who change nothing either`
  const looking = [read?.name, glob, grep, bash && `${bash} for commands that only read`]
  const all = [...looking, ...(isSubagent ? [] : [question, helped])].filter(Boolean)
  const writing = file === undefined ? [] : [write, edit].filter(Boolean)
  const use = all.length === 0 ? "" : ` You may use ${all.join(", ")}.`
  const take = writing.length === 1 ? "takes" : "take"
  return writing.length === 0 ? use : `${use} ${writing.join(" and ")} ${take} plan files only.`
}

function planInShort({ names: { plan_exit }, isSubagent, file }: PlanTools): string {
  const end = isSubagent || plan_exit === undefined ? "" : ` ${plan_exit} shows the plan to the user.`
  return `Plan mode is still active: ${nothingBut(file)}.${end}`
}

/** Shows the plan that is there already when planning begins, to be continued or replaced. */
export const planModeReentry = defineRule({
  kind: "plan_mode_reentry",
  priority: 84,
  exempt: true,
  afterCompaction: "keep",
  threads: ["main"],
  decide: (moment) => {
    const { on, ...told } = toldOf(moment)
    if (!isPlanning(moment)) return on ? [{ memo: { on: false, ...told } }] : []
    if (on) return []
    const plan = planFile(moment)
    const before = plan && writtenPlan(plan)
    if (plan === undefined || before === undefined) return [{ memo: { on: true, ...told } }]
    const line = `There is a plan from before, in ${inline(before.path)}. If it is for the same task, go on with it there; else ${
      plan.path === before.path ? "replace it" : `write the new one to ${inline(plan.path)}`
    }.`
    const text = `${before.path}\n${before.content}`
    // No signal has that name, so it counts from the beginning.
    const steps = moment.since("session.began").steps
    const isThere = told.text === text && steps - told.steps < moment.since("session.compacted").steps
    const forms = isThere || isToldAfterCompaction(moment, before) ? [{ line }] : planForms(line, before)
    return [{ memo: { on: true, text, steps }, forms }]
  },
})

/** Reads the memo of `plan_mode_reentry`: whether planning lasts, and which plan's text it told after how many steps. */
function toldOf(moment: Moment) {
  const memo = moment.memo() as boolean | { on?: boolean; text?: string; steps?: number } | undefined
  const { on = memo === true, text = "", steps = 0 } = typeof memo === "object" ? memo : {}
  return { on, text, steps }
}

/** Planning ended while the agent stayed: a switch would have said it. */
export const planModeExit = defineRule({
  kind: "plan_mode_exit",
  priority: 85,
  exempt: true,
  afterCompaction: "keep",
  threads: ["main"],
  decide: (moment) => {
    const { agent } = moment
    const plannedAs = moment.memo()
    if (isPlanning(moment)) return plannedAs === agent.name ? [] : [{ memo: agent.name }]
    if (plannedAs === undefined || plannedAs === null) return []
    if (plannedAs !== agent.name) return [{ memo: null }]
    const now = isAllowed(agent, "edit", "write") ? `: ${allowed(agent).toLowerCase()} is allowed again` : ""
    return [{ memo: null, forms: [{ line: `Plan mode was left${now}.` }] }]
  },
})

/** Shows a plan that a summary has replaced and that is not finished. */
export const planFileReference = defineRule({
  kind: "plan_file_reference",
  priority: 65,
  trust: "untrusted",
  threads: ["main"],
  decide: (moment) => {
    const file = planFile(moment)
    const plan = file && writtenPlan(file)
    if (plan === undefined || !isToldAfterCompaction(moment, plan) || moment.memo() !== undefined) return []
    const line = `The plan in ${inline(plan.path)} was made before the conversation was compacted and is not finished:`
    return [{ memo: true, forms: planForms(line, plan) }]
  },
})

/** True if `plan_file_reference` tells the plan's text: a compaction came after the text was last told or written. */
function isToldAfterCompaction(moment: Moment, { finished }: PlanFile): boolean {
  return !finished && moment.age("plan:file") > moment.since("session.compacted").steps
}

function planForms(line: string, { path, content = "" }: PlanFile): readonly Form[] {
  return [
    { line, body: { text: clip(content, 12_000), source: path, trust: "untrusted" } },
    { line: `${line} Read it there.` },
  ]
}

export const autoMode = defineRule({
  kind: "auto_mode",
  priority: 88,
  exempt: true,
  decide: (moment) => {
    const told = moment.memo() === true
    if (isAuto(moment) === told) return []
    if (told) return [{ memo: false }]
    const line =
      "Auto mode is on: what would have been asked is allowed, so go on without waiting for confirmation. What is denied stays denied."
    return [{ memo: true, forms: [{ line }] }]
  },
})

export const autoModeExit = defineRule({
  kind: "auto_mode_exit",
  priority: 88,
  exempt: true,
  afterCompaction: "keep",
  decide: (moment) => {
    const wasOn = moment.memo() === true
    if (isAuto(moment) === wasOn) return []
    if (!wasOn) return [{ memo: true }]
    return [
      {
        memo: false,
        forms: [{ line: "Auto mode is off: the user is asked again before what needs permission." }],
      },
    ]
  },
})

export const outputStyle = onChange({
  kind: "output_style",
  fact: "output_style",
  priority: 45,
  threads: ["main"],
  first: (_, style) => [styleForm(style)],
  changed: (_, __, style) => [styleForm(style)],
  gone: (_, style) => [{ line: `The output style ${inline(styleName(style))} no longer applies.` }],
})

function styleForm(style: Json): Form {
  const line = `The output style ${inline(styleName(style))} is active: keep to it.`
  const text = stringIn(style, "text")
  return text === undefined ? { line } : { line, body: { text, source: "output style", trust: "user" } }
}

function styleName(style: Json): string {
  return typeof style === "string" ? style : (stringIn(style, "name") ?? "default")
}

function isPlanning(moment: Moment): boolean {
  return isPlanner(moment.agent) || known(moment, "plan:active") === true
}

function isAuto(moment: Moment): boolean {
  return known(moment, "auto") === true
}

interface PlanFile {
  readonly path: string
  readonly content: string | undefined
  readonly finished: boolean
  /** The plan that was there when this planning began. */
  readonly earlier?: PlanFile
}

function planFile(moment: Moment): PlanFile | undefined {
  return planIn(known(moment, "plan:file"))
}

function planIn(fact: Json | undefined): PlanFile | undefined {
  const path = stringIn(fact, "path")
  if (path === undefined) return undefined
  const { finished, earlier } = fact as { readonly finished?: Json; readonly earlier?: Json }
  const before = planIn(earlier)
  return {
    path,
    content: stringIn(fact, "content"),
    finished: finished === true,
    ...(before && { earlier: before }),
  }
}

function isWritten({ content = "" }: PlanFile): boolean {
  return !isBlank(content)
}

/** Picks the plan that has a text: the one of this planning, else the one from before it. */
function writtenPlan(plan: PlanFile): PlanFile | undefined {
  return [plan, plan.earlier].find((one) => one !== undefined && isWritten(one))
}
