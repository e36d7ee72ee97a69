import { expect, test } from "vitest"
import * as definitions from "../src/tools/definitions.js"
import { checkInput } from "../src/tools/input.js"
import { standardTools } from "../src/tools/standard.js"
import { workspace } from "./tools-support.js"

const { EDIT, READ, TODO_WRITE, PLAN_EXIT, QUESTION } = definitions

test("an input that fits is returned as it is", () => {
  const input = { path: "a", offset: 1 }
  expect(checkInput(READ, input)).toBe(input)
  expect(checkInput(PLAN_EXIT, {})).toEqual({})
  expect(checkInput(QUESTION, { question: "?", options: ["a"] })).toEqual({ question: "?", options: ["a"] })
})

test.each([
  [
    READ,
    "a",
    "read was not run: the input must be an object with `path`, `offset`, `limit`, `pages`, not a string",
  ],
  [READ, {}, "`path` is missing"],
  [READ, { path: 1 }, "`path` must be a string, not 1"],
  [READ, { path: null }, "`path` must be a string, not null"],
  [READ, { path: "a", offset: 1.5 }, "`offset` must be an integer, not 1.5"],
  [READ, { path: "a", offset: "1" }, '`offset` must be an integer, not "1"'],
  [READ, { file_path: "a" }, "`file_path` is not known: use `path`, `offset`, `limit`, `pages`"],
  [READ, { path: "a", constructor: "b" }, "`constructor` is not known"],
  [EDIT, { path: "a", old: "b", new: "c", all: "yes" }, '`all` must be true or false, not "yes"'],
  [TODO_WRITE, { todos: {} }, "`todos` must be an array, not an object"],
  [TODO_WRITE, { todos: [{ content: "a" }] }, "`todos[0].status` is missing"],
  [
    TODO_WRITE,
    { todos: [{ content: "a", status: "done" }] },
    "must be one of pending, in_progress, completed",
  ],
  [PLAN_EXIT, { now: true }, "`now` is not known: use no fields"],
])("%o given %o is told what is wrong", (definition, input, message) => {
  expect(() => checkInput(definition, input)).toThrow(message)
})

test("all problems are told at once", () => {
  expect(() => checkInput(EDIT, { path: 1, old: "a" })).toThrow(
    "`new` is missing; `path` must be a string, not 1.",
  )
})

test("the definitions of all tools together are small", () => {
  const all = Object.values(definitions).filter((value) => "inputSchema" in value)
  expect(all).toHaveLength(19)
  expect(JSON.stringify(all.map(({ safeToRepeat: _, ...sent }) => sent)).length).toBeLessThan(6000)
})

test("the names and required inputs are the specified ones", () => {
  const required = Object.fromEntries(
    standardTools().map(({ definition }) => [definition.name, definition.inputSchema.required]),
  )
  expect(required).toEqual({
    read: ["path"],
    fetch: ["url"],
    write: ["path", "content"],
    edit: ["path", "old", "new"],
    glob: ["pattern"],
    grep: ["pattern"],
    bash: ["command"],
    todo_write: ["todos"],
  })
})

test("the list is observed, noted and shown; a wrong status changes nothing", async () => {
  const { run, refusal, facts, signals } = await workspace()
  expect(await refusal("todo_write", { todos: [{ content: "a", status: "done" }] })).toContain(
    "Use pending, in_progress",
  )
  expect(facts.size + signals.length).toBe(0)
  const todos = [
    { content: "a", status: "completed" },
    { content: "b", status: "in_progress" },
    { content: "c", status: "pending" },
  ]
  expect(await run("todo_write", { todos })).toEqual({ content: "[x] a\n[>] b\n[ ] c" })
  expect(facts.get("todos")).toEqual(todos)
  expect(signals).toEqual([{ type: "todo.written" }])
})
