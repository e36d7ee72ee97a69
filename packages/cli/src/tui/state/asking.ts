import type { Question } from "@sotto/harness"
import type { Buffer } from "../input/buffer.js"

/**
 * Questions to the person at the terminal. Keys belong to what is being written until the person turns to the
 * question, or until it has been in sight for a while with nothing written: somebody who types on as it appears has
 * not answered it.
 */
export interface Asking {
  /** The first is shown. */
  readonly open: readonly Posed[]
  /** Who gets the keys: the draft, or the question; while it has just appeared, still the draft. */
  readonly focus: "draft" | "arming" | "question"
  readonly choice: number
  /** Words that go with the choice. */
  readonly entry: Entry | undefined
}

export interface Posed {
  readonly question: Question
  /** What it is about stands in the conversation, because it is too long to stand above the answers. */
  readonly printed: boolean
}

export interface Entry {
  readonly option: number
  readonly buffer: Buffer
}

export const NOBODY_ASKS: Asking = { open: [], focus: "draft", choice: 0, entry: undefined }

/** So long a question is in sight before a key can answer it, in milliseconds. */
export const ARMING = 350

export function asked(asking: Asking, posed: Posed, isWriting: boolean): Asking {
  const open = [...asking.open, posed]
  if (asking.open.length > 0) return { ...asking, open }
  return { ...NOBODY_ASKS, open, focus: isWriting ? "draft" : "arming" }
}

/** It has been in sight long enough. */
export function armed(asking: Asking): Asking {
  return asking.focus === "arming" ? { ...asking, focus: "question" } : asking
}

/** Something was written meanwhile: that goes on. */
export function wroteOn(asking: Asking): Asking {
  return asking.focus === "draft" ? asking : { ...asking, focus: "draft", entry: undefined }
}

/** The person turns to the question by a key of its own. */
export function turnedTo(asking: Asking): Asking {
  return { ...asking, focus: "question" }
}

/** Answered, or nobody waits for the answer any more. The next one has to be seen first, like this one. */
export function closed(asking: Asking, id: string): Asking {
  const open = asking.open.filter(({ question }) => question.id !== id)
  if (open.length === asking.open.length) return asking
  if (asking.open[0]?.question.id !== id) return { ...asking, open }
  if (open.length === 0) return NOBODY_ASKS
  return { ...NOBODY_ASKS, open, focus: asking.focus === "draft" ? "draft" : "arming" }
}

export interface Option {
  readonly label: string
  /** Asks for words, and what is proposed. */
  readonly words?: string
  /** The answer, from the words if there are any. */
  answer(words: string): string
}

export function optionsOf(question: Question): readonly Option[] {
  switch (question.kind) {
    case "permission":
      return [
        { label: "Allow once", answer: () => "allow" },
        { label: "Allow for this session", answer: () => "session" },
        ...(question.always === undefined
          ? []
          : [
              {
                label: "Always allow in this project, by pattern…",
                words: question.always,
                answer: (pattern: string) => `always ${pattern}`,
              },
            ]),
        { label: "Deny, and say why…", words: "", answer: (why) => (why === "" ? "deny" : `deny: ${why}`) },
      ]
    case "question":
      return [
        ...(question.options ?? []).map((label) => ({ label, answer: () => label })),
        { label: question.options ? "Something else…" : "Answer…", words: "", answer: (words) => words },
      ]
    case "plan":
      return [
        { label: "Approve, and let it build", answer: () => "approve" },
        {
          label: "Not yet: say what to change…",
          words: "",
          answer: (words) => `no: ${words === "" ? "the user wants another plan" : words}`,
        },
      ]
  }
}
