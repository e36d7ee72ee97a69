import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk"
import { printable, type Question } from "@sotto/harness"
import { placeOf } from "./file-range.js"
import { type ToolCall, textContent } from "./tool-calls.js"

type Asked = Pick<RequestPermissionRequest, "toolCall" | "options">

export function requestFor(question: Question, call: ToolCall | undefined, cwd: string): Asked {
  const known: Asked["toolCall"] = call ?? { toolCallId: question.id }
  const pending = { ...known, status: "pending" } as const
  const by = question.agent === undefined ? "" : `${question.agent}: `
  switch (question.kind) {
    case "permission": {
      const { tool, permission, target, detail } = question
      const title = call?.title ?? `${by}${tool}: ${permission} ${target}`
      // A change is shown as such where the call is one; else what the harness says of it.
      const content = call?.content ?? (detail === undefined ? [] : [textContent(detail)])
      return { toolCall: { ...pending, title, content }, options: PERMISSION }
    }
    case "question":
      return {
        toolCall: {
          ...pending,
          title: `${by}${question.question}`,
          content: [textContent(question.question)],
        },
        options: question.options?.length ? choices(question.options) : OPEN,
      }
    case "plan":
      return {
        toolCall: {
          ...pending,
          kind: "switch_mode",
          title: "Ready to carry out the plan?",
          content: [textContent(question.plan)],
          locations: [{ path: placeOf(question.path, cwd).absolute }],
        },
        options: PLAN,
      }
  }
}

/**
 * Returns the answer as text. If the editor goes away without an answer, the text says only that the question was
 * closed.
 */
export function answerFor(question: Question, outcome: RequestPermissionOutcome): string {
  if (outcome.outcome === "cancelled") return DISMISSED[question.kind]
  const { optionId } = outcome
  if (question.kind === "question" && question.options) {
    const chosen = question.options[Number(optionId.replace(/^option-/, ""))]
    if (optionId.startsWith("option-") && chosen !== undefined) return chosen
  }
  return ANSWERS[optionId] ?? DISMISSED[question.kind]
}

export function unasked({ kind }: Question, why: string): string {
  const what = `the editor could not ask: ${why}`
  return kind === "permission" ? `deny: ${what}` : `(${what})`
}

export function trustRequest(folder: string, lines: readonly string[]): Asked {
  const content = [textContent(lines.join("\n"))]
  const title = `Trust ${printable(folder)}?`
  return {
    toolCall: { toolCallId: "trust", kind: "other", status: "pending", title, content },
    options: TRUST,
  }
}

export function isTrusted(outcome: RequestPermissionOutcome): boolean {
  return outcome.outcome === "selected" && outcome.optionId === "trust"
}

const TRUST: PermissionOption[] = [
  { optionId: "trust", name: "Trust this folder", kind: "allow_always" },
  { optionId: "not-now", name: "Not now: go on without", kind: "reject_once" },
]

const PERMISSION: PermissionOption[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Allow for this session", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
]

const PLAN: PermissionOption[] = [
  { optionId: "approve", name: "Carry out the plan", kind: "allow_once" },
  { optionId: "approve-ask", name: "Carry out the plan, and ask before each edit", kind: "allow_once" },
  { optionId: "approve-edits", name: "Carry out the plan, and accept edits", kind: "allow_always" },
  { optionId: "plan", name: "Keep planning", kind: "reject_once" },
]

const IN_A_MESSAGE: PermissionOption = {
  optionId: "message",
  name: "I answer in a message",
  kind: "reject_once",
}

/** Without a text field these are all that a person can say here. */
const OPEN: PermissionOption[] = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
  IN_A_MESSAGE,
]

function choices(options: readonly string[]): PermissionOption[] {
  const each = options.map(
    (name, i): PermissionOption => ({
      optionId: `option-${i}`,
      name,
      kind: "allow_once",
    }),
  )
  return [...each, IN_A_MESSAGE]
}

const ANSWERS: Readonly<Record<string, string>> = {
  allow: "allow",
  always: "always",
  deny: "deny",
  approve: "approve",
  "approve-ask": "approve and ask before each edit",
  "approve-edits": "approve and accept edits",
  plan: "keep planning; the user will say what to change",
  yes: "yes",
  no: "no",
  message: "I answer in my next message. End the turn here, and wait for it.",
}

const DISMISSED: Readonly<Record<Question["kind"], string>> = {
  permission: "deny: the question was closed without an answer",
  question: "(the question was closed without an answer)",
  plan: "(it was closed without an answer)",
}
