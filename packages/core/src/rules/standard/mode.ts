import { type Agent, isAllowed, isPlanner } from "../../agent/agent.js"
import type { Json } from "../../json.js"
import { type Form, inline } from "../../reminder/reminder.js"
import { clip } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Moment, type Rule } from "../rule.js"
import { onChange } from "../shapes.js"
import { known, lostInCompaction, stringIn } from "./facts.js"
import type { Names } from "./names.js"

/**
 * The agent differs from the one the model was last told of, or, untold, the one that last answered. Going by who
 * answered alone would miss a switch that was told in a request that was then aborted.
 */
export const buildSwitch = defineRule({
  kind: "build_switch",
  priority: 90,
  exempt: true,
  afterCompaction: "keep",
  decide: ({ agent, answeredBy, agentNamed, memo }) => {
    const told = (memo() as string | undefined) ?? answeredBy?.name
    if (told === agent.name) return []
    if (told === undefined) return [{ memo: agent.name }]
    const before = agentNamed(told)
    const forms = [{ line: switched(told, before !== undefined && isPlanner(before), agent) }]
    return [{ memo: agent.name, forms, values: { from: told, to: agent.name } }]
  },
})

function switched(from: string, planned: boolean, agent: Agent): string {
  const change = `The mode changed from ${inline(from)} to ${inline(agent.name)}`
  const mayEdit = isAllowed(agent, "edit", "write")
  if (mayEdit === false) {
    const reading = isAllowed(agent, "read") ? "may be read but not changed" : "may not be changed"
    return `${change}. Files ${reading} until the mode changes again.`
  }
  const plan =
    planned && !isPlanner(agent) ? " Carry out the plan that was made, and report progress as you go." : ""
  if (mayEdit) return `${change}. ${allowed(agent)} is allowed, as far as the permissions go.${plan}`
  // Nobody has said what it may do, so that nothing is claimed.
  const what = inline(agent.description ?? "").replace(/[.\s]+$/, "")
  return `${change}${what === "" ? "" : `: ${what}`}.${plan}`
}

function allowed(agent: Agent): string {
  return isAllowed(agent, "bash") ? "Changing files and running commands" : "Changing files"
}

/** The workflow in full once, then in short, so that it is neither forgotten nor repeated on every request. */
export const planMode = (names: Names): Rule<StandardKind> =>
  defineRule({
    kind: "plan_mode",
    priority: 85,
    exempt: true,
    throttle: { turns: 5 },
    threads: ["main"],
    decide: (moment) => {
      if (!isPlanning(moment)) return []
      const path = planFile(moment)?.path
      const line = moment.spoken.lately > 0 ? planInShort(path, names) : planInFull(path, names)
      return [{ forms: [{ line }], values: { path: path ?? "" } }]
    },
  })

function planInFull(path: string | undefined, names: Names): string {
  const named = path === undefined ? "the plan file" : `the plan file, ${inline(path)}`
  const file = hasPlanFile(path, names) ? named : undefined
  const search =
    names.explore === undefined
      ? ""
      : `, with up to three ${names.explore} subagents in parallel where that helps`
  const ask = names.question === undefined ? "" : ` with the ${names.question} tool`
  const finish =
    names.plan_exit === undefined
      ? "show the plan to the user"
      : `call ${names.plan_exit}. It shows the plan to the user`
  return `Plan mode is active: nothing may be changed${file === undefined ? "" : ` except ${file}`}. The work goes in five phases.
1. Understand: read what the request touches${search}, and ask the user${ask} what only they can decide.
2. Design: work out an approach, and what speaks against it.
3. Review: compare it with the request and with the code as it is.
4. Write: put the plan into ${file ?? "your answer"}.
5. Finish: ${finish}, who approves it or says what to change.`
}

function planInShort(path: string | undefined, names: Names): string {
  const file = path === undefined ? "the plan file" : inline(path)
  const what = hasPlanFile(path, names) ? `only ${file} may be changed` : "nothing may be changed"
  const end = names.plan_exit === undefined ? "" : ` ${names.plan_exit} shows the plan to the user.`
  return `Plan mode is still active: ${what}.${end}`
}

/** A tool that shows the plan file says that there is one. */
function hasPlanFile(path: string | undefined, { plan_exit }: Names): boolean {
  return path !== undefined || plan_exit !== undefined
}

/** Coming to plan mode where a plan exists already, or coming back to it. */
export const planModeReentry = (names: Names): Rule<StandardKind> =>
  defineRule({
    kind: "plan_mode_reentry",
    priority: 84,
    exempt: true,
    afterCompaction: "keep",
    threads: ["main"],
    decide: (moment) => {
      const wasPlanning = moment.memo() === true
      if (!isPlanning(moment)) return wasPlanning ? [{ memo: false }] : []
      if (wasPlanning) return []
      const plan = planFile(moment)
      // Where the agent stayed no switch says so, and plan_mode may have to keep silent for some turns.
      const stayed = !isPlanner(moment.agent) && moment.memo() !== undefined
      const what = hasPlanFile(plan?.path, names) ? "only the plan file" : "nothing"
      const again = stayed ? `Plan mode is active again: ${what} may be changed.` : ""
      if (plan?.content === undefined || plan.content.trim() === "")
        return [{ memo: true, forms: again === "" ? [] : [{ line: again }] }]
      const line = `There is a plan from before, in ${inline(plan.path)}. If it is for the same task, go on with it; else replace it.`
      return [
        { memo: true, forms: planForms(again === "" ? line : `${again} ${line}`, plan.path, plan.content) },
      ]
    },
  })

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

/** A plan that a summary has replaced and that is not finished. */
export const planFileReference = defineRule({
  kind: "plan_file_reference",
  priority: 65,
  trust: "untrusted",
  threads: ["main"],
  decide: (moment) => {
    const plan = planFile(moment)
    if (plan?.content === undefined || plan.finished || !lostInCompaction(moment, "plan:file")) return []
    const line = `The plan in ${inline(plan.path)} was made before the conversation was compacted and is not finished:`
    return [{ memo: true, forms: planForms(line, plan.path, plan.content) }]
  },
})

function planForms(line: string, path: string, content: string): readonly Form[] {
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
}

function planFile(moment: Moment): PlanFile | undefined {
  const file = known(moment, "plan:file")
  const path = stringIn(file, "path")
  if (path === undefined) return undefined
  const finished = (file as { readonly finished?: Json }).finished === true
  return { path, content: stringIn(file, "content"), finished }
}
