import { isAbsolute, relative, sep } from "node:path"
import { removed } from "@sotto/core"
import { type Project, projectRoot } from "../../platform/workspace/project.js"
import { notedIn } from "../session.js"
import type { Source, SourceContext } from "../source.js"
import type { SkillShelf } from "./shelf.js"
import { type Skill, skillsFact } from "./skills.js"
import { type Topics, topicsOf } from "./topics.js"

/** Observes the skills that this agent may use: which there are, and which are about what it does. */
export function skills(context: SourceContext, shelf: SkillShelf, place: Project): Source {
  const { cwd, session, judge, isSubagent, report } = context
  const roots = [...new Set([cwd, projectRoot(place)])]
  const due = new Set<string>()
  const reported = new Set<string>()
  let stated = session.fact("skills") !== undefined
  let listed = ""

  const topics = new WeakMap<Skill, Topics>()
  const about = (skill: Skill): Topics => {
    const known = topics.get(skill) ?? topicsOf(skill)
    topics.set(skill, known)
    return known
  }
  const mayUse = ({ name }: Skill) => judge({ permission: "skill", target: name }) !== "deny"
  const wasInvoked = (name: string) => session.fact(`invoked:${name}`) !== undefined

  const list = () => {
    const usable = shelf.skills.filter(mayUse)
    const fact = skillsFact(usable)
    const now = JSON.stringify(fact.value)
    if (now === listed) return
    listed = now
    if (usable.length > 0) session.observe(fact.key, fact.value)
    else if (stated) session.observe(fact.key, removed())
    stated ||= usable.length > 0
  }
  const hint = () => {
    if (due.size === 0) return
    const hinted = notedIn(session.log, "skill.relevant").map(({ name }) => name)
    const fitting = shelf.skills.filter((skill) => due.has(skill.name) && mayUse(skill))
    for (const { name, description, untrusted } of fitting) {
      if (!hinted.includes(name) && !wasInvoked(name))
        session.note({ type: "skill.relevant", name, description, ...(untrusted && { untrusted }) })
    }
    due.clear()
  }
  const tell = () => {
    list()
    hint()
    if (isSubagent) return
    for (const problem of shelf.problems.filter((one) => !reported.has(one))) {
      reported.add(problem)
      report(`A skill is left out. ${problem}`)
    }
  }
  return {
    name: "skills",
    collect: () => (shelf.hasChanged() ? shelf.read().then(tell) : tell()),
    touched: ({ path }) => {
      if (shelf.skills.length === 0) return
      const shown = roots.map((root) => relative(root, path).split(sep).join("/"))
      const inside = shown.filter((one) => !one.startsWith("../") && !isAbsolute(one))
      for (const skill of shelf.skills) if (about(skill).hasPath(...inside)) due.add(skill.name)
    },
    called: ({ name, input }) => {
      if (name === "skill") return
      for (const skill of shelf.skills) if (about(skill).hasWord(input)) due.add(skill.name)
    },
  }
}
