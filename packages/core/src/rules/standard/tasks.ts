import { nameIn } from "../../prompt/layers.js"
import { inline } from "../../text/reminder-text.js"
import type { Json } from "../../vocabulary/json.js"
import type { Form } from "../../vocabulary/reminder.js"
import { clip } from "../capped.js"
import { defineRule, type Moment, type Utterance } from "../rule.js"
import { onChange } from "../shapes.js"
import { fieldsOf, type TaskReport } from "../signals.js"
import { known, listIn, lostInCompaction, stringIn } from "./facts.js"

const LONGEST_NEWS = 2_000

/** A background task was stopped, its progress was asked for, or it still runs after a compaction. */
export const taskStatus = defineRule({
  kind: "task_status",
  priority: 60,
  trust: "untrusted",
  signals: ["task.stopped", "task.progress"],
  keyOf: (signal) => String(signal.id ?? ""),
  decide: (moment) => {
    const reported = new Map(
      moment.signals.flatMap((signal): [string, Utterance][] => {
        const stopped = fieldsOf(signal, "task.stopped")
        const report = stopped ?? fieldsOf(signal, "task.progress")
        if (report?.id === undefined) return []
        const forms = stopped
          ? reportForms(
              report,
              stopped.by === undefined ? "was stopped" : `was stopped by ${inline(stopped.by)}`,
            )
          : reportForms(report, isLost(moment, report.id) ? "is still running" : "is running", GOES_ON)
        return [[report.id, { key: report.id, memo: true, forms }]]
      }),
    )
    return [...reported.values(), ...stillRunning(moment).filter(({ key }) => !reported.has(key ?? ""))]
  },
})

const GOES_ON = " Do not start it again."

/** True if a compaction took away that the model was told of the task. */
function isLost(moment: Moment, id: string): boolean {
  return known(moment, `task:${id}`) !== undefined && lostInCompaction(moment, `task:${id}`, id)
}

function stillRunning(moment: Moment): readonly Utterance[] {
  return moment.facts("task").flatMap(([key]): Utterance[] => {
    const task = known(moment, key)
    const id = stringIn(task, "id") ?? nameIn(key)
    if (task === undefined || !lostInCompaction(moment, key, id)) return []
    const report = { ...(task as object), id } as TaskReport
    return [{ key: id, memo: true, forms: reportForms(report, "is still running", GOES_ON) }]
  })
}

function reportForms(report: Partial<TaskReport>, state: string, advice = ""): readonly Form[] {
  const { id = "", kind = "task", description, news, output } = report
  const what = description === undefined ? "" : ` (${inline(description)})`
  const where = output === undefined ? "" : ` Its output is in ${inline(output)}.`
  const line = `The background ${inline(kind)} ${inline(id)}${what} ${state}.${where}${advice}`
  if (news === undefined || news === "") return [{ line }]
  return [
    { line, body: { text: clip(news, LONGEST_NEWS), source: `task ${id}`, trust: "untrusted" } },
    { line },
  ]
}

/** The agent works as a member of a team. */
export const teamContext = onChange({
  kind: "team_context",
  fact: "team",
  priority: 45,
  first: (_, team) => [teamForm(team)],
  changed: (_, __, team) => [teamForm(team)],
  gone: () => [{ line: "There is no team any more." }],
})

function teamForm(team: Json): Form {
  const members = listIn(team, "members").map((member) =>
    inline(typeof member === "string" ? member : (stringIn(member, "name") ?? "")),
  )
  const reach = stringIn(team, "reach")
  const how = reach === undefined ? "" : ` ${inline(reach)}`
  const others = members.length === 0 ? "" : `, with ${members.join(", ")}`
  return { line: `You work in the team ${inline(stringIn(team, "name") ?? "")}${others}.${how}` }
}
