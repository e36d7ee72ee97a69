import type { Question } from "@sotto/harness"
import type { Buffer } from "../input/buffer.js"
import { type AnswerScopes, onceScope, patternScope, sessionScope } from "./scopes.js"

/**
 * Questions to the person at the terminal. Keys belong to what is being written until the person turns to the
 * question, or until it has been in sight for a while with nothing written: somebody who types on as it appears has
 * not answered it.
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

/** It has been in sight long enough. */
export function armed(asking: QuestionQueue): QuestionQueue {
  return asking.focus === "arming" ? { ...asking, focus: "question" } : asking
}

/** Something was written meanwhile: that goes on. */
export function wroteOn(asking: QuestionQueue): QuestionQueue {
  return asking.focus === "draft" ? asking : { ...asking, focus: "draft", entry: undefined }
}

/** The person turns to the question by a key of its own. */
export function turnedTo(asking: QuestionQueue): QuestionQueue {
  return { ...asking, focus: "question" }
}

/** Answered, or nobody waits for the answer any more. The next one has to be seen first, like this one. */
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
  /** The answer, from the words if there are any. */
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
  const { always, permission } = question
  const lasting: readonly Option[] =
    always === undefined
      ? []
      : [
          {
            label: "Always allow in this project, by pattern…",
            scope: (pattern) => patternScope(permission, pattern === "" ? always : pattern, places),
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
