import type { Question } from "@sotto/harness"

type Permission = Extract<Question, { kind: "permission" }>

/** Where an answer that lasts is kept. */
export interface AnswerScopes {
  /** The folder that it is bound to. */
  readonly root: string
  /** The user's own file. */
  readonly user: string
}

export function onceScope(): string {
  return "this call and nothing else"
}

/** Exactly what was shown, and nothing like it. */
export function sessionScope({ tool, permission, target, accesses = [] }: Permission): string {
  const needed = accesses.filter(({ needs }) => needs)
  const what =
    tool === "bash"
      ? "this exact command line"
      : needed.length > 1
        ? `these ${needed.length}, exactly`
        : `${permission} of exactly ${target}`
  return `${what}, until this session ends; /permissions takes it back`
}

/** What a pattern would allow from now on, in words, so that it is seen before it is given. */
export function patternScope(permission: string, pattern: string, { root, user }: AnswerScopes): string {
  const kept = `in ${root}, kept in ${user}`
  if (pattern === "") return `nothing: the pattern is empty (${kept})`
  const star = pattern.search(/[*?]/)
  if (star < 0) return `${permission} of exactly ${pattern}, ${kept}`
  const fixed = pattern.slice(0, star)
  const wide = permission === "bash" ? danger(fixed) : undefined
  const what = fixed === "" ? `every ${permission}` : `every ${permission} that begins with "${fixed}"`
  return `${wide === undefined ? "" : `CAREFUL, ${wide}: `}${what}${fixed === pattern.slice(0, -1) ? "" : " and fits the pattern"}, ${kept}`
}

const RUNS_ANYTHING =
  /^(?:(?:ba|da|z|k|c|tc|fi)?sh|python[\d.]*|node|deno|bun|npx|perl|ruby|php|lua|osascript|pwsh|env|xargs|sudo|doas|su|ssh|eval|exec|find|make|docker)$/
const DESTROYS = /^(?:rm|rmdir|dd|mkfs\S*|shred|truncate|mv|chmod|chown|kill|killall|pkill|git|curl|wget)$/

/** What somebody who writes such a pattern should know, judged by the program that it begins with. */
function danger(fixed: string): string | undefined {
  const program = fixed.trim().split(/\s+/)[0] ?? ""
  const name = program.slice(program.lastIndexOf("/") + 1)
  if (name === "" || RUNS_ANYTHING.test(name)) return "this lets it run anything"
  return DESTROYS.test(name) ? `this lets ${name} do whatever it can` : undefined
}
