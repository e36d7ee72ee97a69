import { describe, expect, it } from "vitest"
import { check } from "../src/index.js"
import { callsOf } from "./support/history.js"

const kindsIn = (messages: readonly unknown[], more: object = {}) =>
  check(callsOf([{ model: "claude-sonnet-4-5", max_tokens: 10, system: "Help.", messages, ...more }]))
    .threads[0]?.reminders

const user = (text: string) => [{ role: "user", content: [{ type: "text", text }] }]

describe("a reminder of a known harness has its kind", () => {
  it.each([
    [
      "Claude Code",
      "<system-reminder>\nThe TodoWrite tool hasn't been used recently.\n</system-reminder>",
      "todo_reminder",
    ],
    ["Claude Code", "<system-reminder>\nPlan mode is active. Do not edit.\n</system-reminder>", "plan_mode"],
    [
      "Claude Code",
      "<system-reminder>Note: a.ts was modified, either by the user or by a linter.</system-reminder>",
      "edited_text_file",
    ],
    [
      "opencode",
      "<system-reminder>\nYour operational mode has changed from plan to build.\n</system-reminder>",
      "build_switch",
    ],
    ["Codex", "<environment_context>\n<cwd>/work</cwd>\n</environment_context>", "environment_context"],
    ["Codex", "<permissions instructions>\nAsk first.\n</permissions instructions>", "permissions"],
    [
      "Codex",
      "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>",
      "instructions",
    ],
    ["Gemini CLI", "<session_context>\nThis is the Gemini CLI.\n</session_context>", "session_context"],
    [
      "Cline",
      "Do it.\n<environment_details>\n# Current Time\nnoon\n</environment_details>",
      "environment_details",
    ],
  ])("%s: %j", (_, text, kind) => {
    expect(kindsIn(user(text))).toMatchObject([{ kind, times: 1, distinct: 1 }])
  })
})

it("groups unknown texts by their shape, and drops none", () => {
  const text = (n: number) =>
    `<system-reminder>\nThe kettle has boiled ${n} times, says "sensor ${n}".\n</system-reminder>`
  expect(kindsIn([...user(text(1)), ...user(text(2)), ...user(text(2))])).toMatchObject([
    { kind: "The kettle has boiled … times,", times: 3, distinct: 2 },
  ])
  expect(kindsIn(user("Look:\n<house_rules>\nNo noise.\n</house_rules>"))).toMatchObject([
    { kind: "house_rules" },
  ])
})

it("takes developer and system messages in the conversation for the harness's words", () => {
  const input = [
    { role: "user", content: "Hello" },
    { role: "developer", content: "The user switched to another branch." },
  ]
  const { threads } = check(callsOf([{ model: "gpt-5.6", instructions: "Help.", input }]))
  expect(threads[0]?.reminders).toMatchObject([{ times: 1, kind: "The user switched to another branch." }])
})

it("counts the share of all that was sent, in every call that carries it", () => {
  const first = user(`${"word ".repeat(80)}<system-reminder>${"hint ".repeat(20)}</system-reminder>`)
  const second = [
    ...first,
    { role: "assistant", content: [{ type: "text", text: "Yes." }] },
    ...user("Go on."),
  ]
  const body = (messages: readonly unknown[]) => ({ model: "claude-sonnet-4-5", max_tokens: 10, messages })
  const [row] = check(callsOf([body(first), body(second)])).threads[0]?.reminders ?? []
  expect(row).toMatchObject({ times: 1, distinct: 1 })
  expect(row?.share).toBeGreaterThan(0.15)
  expect(row?.share).toBeLessThan(0.25)
})

it("leaves what the user and tools wrote about tags alone", () => {
  expect(kindsIn(user("Why does <div> need </div>, and what is <b>bold</b>?"))).toEqual([])
  const result = [{ type: "tool_result", tool_use_id: "c", content: "<my_config>\n1\n</my_config>" }]
  expect(kindsIn([{ role: "user", content: result }])).toEqual([])
})

it("says so when the same words stand in a request many times", () => {
  const again =
    "<system-reminder>\nRemember to update the list of open work after every step.\n</system-reminder>"
  const { findings } = check(
    callsOf([
      {
        model: "claude-sonnet-4-5",
        max_tokens: 10,
        messages: Array.from({ length: 6 }, () => user(again)[0]),
      },
    ]),
  )
  expect(findings).toContainEqual(
    expect.objectContaining({ id: "repeated-reminder", message: expect.stringContaining("6 times") }),
  )
})
