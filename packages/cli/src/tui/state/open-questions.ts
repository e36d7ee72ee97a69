import { patternCovers, type Question } from "@sotto/harness"
import type { Buffer } from "../input/buffer.js"

/**
 * Questions to the person at the terminal. Keys belong to what is being written until the person turns to the question,
 * or until it has been in sight for a while with nothing written: a person who types on as it appears has not answered
 * it.
 */
export interface QuestionQueue {
  /** The first is shown. */
  readonly open: readonly Posed[]
  /** Who gets the keys: the draft, or the question; while it has just appeared, still the draft. */
  readonly focus: "draft" | "arming" | "question"
  readonly choice: number
  /** Words that go with the choice. */
  readonly entry: AnswerDraft | undefined
}

export interface Posed {
  readonly question: Question
  readonly options: readonly Option[]
  /** What it is about stands in the conversation, because it is too long to stand above the answers. */
  readonly printed: boolean
}

export interface AnswerDraft {
  readonly option: number
  readonly buffer: Buffer
}

export const NOBODY_ASKS: QuestionQueue = { open: [], focus: "draft", choice: 0, entry: undefined }

/** So long a question is in sight before a key can answer it, in milliseconds. */
export const ARMING = 350

export function asked(asking: QuestionQueue, posed: Posed, isWriting: boolean): QuestionQueue {
  const open = [...asking.open, posed]
  if (asking.open.length > 0) return { ...asking, open }
  return { ...NOBODY_ASKS, open, focus: isWriting ? "draft" : "arming" }
}

/** Lets keys answer a question that has been in sight long enough. */
export function armed(asking: QuestionQueue): QuestionQueue {
  return asking.focus === "arming" ? { ...asking, focus: "question" } : asking
}

/** Leaves the keys to the draft: something was written meanwhile, and that goes on. */
export function wroteOn(asking: QuestionQueue): QuestionQueue {
  return asking.focus === "draft" ? asking : { ...asking, focus: "draft", entry: undefined }
}

/** Turns to the question: the person pressed its own key. */
export function turnedTo(asking: QuestionQueue): QuestionQueue {
  return { ...asking, focus: "question" }
}

/**
 * Closes a question that was answered, or whose answer the session does not wait for any more. The next one has to be
 * seen first, like this one.
 */
export function closed(asking: QuestionQueue, id: string): QuestionQueue {
  const open = asking.open.filter(({ question }) => question.id !== id)
  if (open.length === asking.open.length) return asking
  if (asking.open[0]?.question.id !== id) return { ...asking, open }
  if (open.length === 0) return NOBODY_ASKS
  return { ...NOBODY_ASKS, open, focus: asking.focus === "draft" ? "draft" : "arming" }
}

/** What happens without asking, as far as no rule says otherwise: nothing, changes of files, or everything. */
export type Leave = "ask" | "edits" | "auto"

export interface Option {
  readonly label: string
  /** What the answer covers, for as long as what, and where that is kept. Words that go with it may change that. */
  scope?(words: string): string
  /** Asks for words, and what is proposed. */
  readonly words?: string
  /** Makes the answer, from the words if the person wrote any. */
  answer(words: string): string
  /** What is done without asking from now on. */
  readonly leave?: Leave
}

export function optionsOf(question: Question, places: AnswerScopes): readonly Option[] {
  switch (question.kind) {
    case "permission":
      return permissionOptions(question, places)
    case "question":
      return [
        ...(question.options ?? []).map((label) => ({ label, answer: () => label })),
        { label: question.options ? "Something else…" : "Answer…", words: "", answer: (words) => words },
      ]
    case "plan":
      return [
        {
          label: "Approve, and accept edits",
          scope: () => "it changes files without asking; commands are still asked about",
          answer: () => "approve and accept edits",
          leave: "edits",
        },
        {
          label: "Approve, and ask before each edit",
          scope: () => "also if auto, accept edits or a rule allowed it before",
          answer: () => "approve and ask before each edit",
          leave: "ask",
        },
        {
          label: "Not yet: say what to change…",
          words: "",
          answer: (words) => `no: ${words === "" ? "the user wants another plan" : words}`,
        },
      ]
  }
}

function permissionOptions(
  question: Extract<Question, { kind: "permission" }>,
  places: AnswerScopes,
): readonly Option[] {
  const { always } = question
  const lasting: readonly Option[] =
    always === undefined
      ? []
      : [
          {
            label: "Always allow in this project, by pattern…",
            scope: (pattern) => lastingScope(question, pattern === "" ? always : pattern, places),
            words: always,
            answer: (pattern) => `always ${pattern}`,
          },
        ]
  return [
    { label: "Allow once", scope: onceScope, answer: () => "allow" },
    { label: "Allow for this session", scope: () => sessionScope(question), answer: () => "session" },
    ...lasting,
    {
      label: "Deny, and say why…",
      scope: () => "it does not run, and the model gets your words",
      words: "",
      answer: (why) => (why === "" ? "deny" : `deny: ${why}`),
    },
  ]
}

type Permission = Extract<Question, { kind: "permission" }>

/** Where an answer that lasts is kept. */
export interface AnswerScopes {
  /** The folder that it is bound to. */
  readonly root: string
  /** The user's own file. */
  readonly user: string
}

function onceScope(): string {
  return "this call and nothing else"
}

/** Says what an answer for the session allows: exactly what was shown, and nothing like it. */
function sessionScope({ tool, permission, target, accesses = [] }: Permission): string {
  const needed = accesses.filter(({ needs }) => needs)
  const what =
    tool === "bash"
      ? "this exact command line"
      : needed.length > 1
        ? `these ${needed.length}, exactly`
        : `${permission} of exactly ${target}`
  return `${what}, until this session ends; /permissions takes it back`
}

/** Says what a pattern would allow; nothing if it does not match what is asked: then it is not taken. */
function lastingScope(question: Permission, pattern: string, places: AnswerScopes): string {
  return patternCovers(pattern, question)
    ? patternScope(question.permission, pattern, places)
    : `nothing: it does not match ${question.target}`
}

/** Says in words what a pattern would allow from now on, so that the user sees it before they give it. */
export function patternScope(permission: string, pattern: string, { root, user }: AnswerScopes): string {
  const kept = `in ${root}, kept in ${user}`
  if (pattern === "") return `nothing: the pattern is empty (${kept})`
  const star = pattern.search(/[*?]/)
  if (star < 0) return `${permission} of exactly ${pattern}, ${kept}`
  const fixed = pattern.slice(0, star)
  const isAnyHost = permission === "fetch" && fixed === ""
  const wide = permission === "bash" ? danger(fixed) : isAnyHost ? ANY_HOST : undefined
  const what = fixed === "" ? `every ${permission}` : `every ${permission} that begins with "${fixed}"`
  return `${wide === undefined ? "" : `CAREFUL, ${wide}: `}${what}${fixed === pattern.slice(0, -1) ? "" : " and fits the pattern"}, ${kept}`
}

const ANY_HOST = "an address can carry what the agent has read to its host"

const RUNS_ANYTHING =
  /^(?:(?:ba|da|z|k|c|tc|fi)?sh|python[\d.]*|node|deno|bun|npx|perl|ruby|php|lua|osascript|pwsh|env|xargs|sudo|doas|su|ssh|eval|exec|find|make|docker)$/
const DESTROYS = /^(?:rm|rmdir|dd|mkfs\S*|shred|truncate|mv|chmod|chown|kill|killall|pkill|git|curl|wget)$/

/** Warns a user who writes such a pattern, judged by the program that it begins with. */
function danger(fixed: string): string | undefined {
  const program = fixed.trim().split(/\s+/)[0] ?? ""
  const name = program.slice(program.lastIndexOf("/") + 1)
  if (name === "" || RUNS_ANYTHING.test(name)) return "this lets it run anything"
  return DESTROYS.test(name) ? `this lets ${name} do whatever it can` : undefined
}
