import { dynamic, removed, unavailable } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { compact, inTurn, note, nothing, observe, steps } from "../walker.js"

/** A list that the agent keeps: told when it has been left alone for ten steps. */
function list(kind: string, fact: string, written: string, what: string): Case {
  const keep = (items: readonly object[]): Drive => {
    return (session) => session.observe(dynamic(fact), items)
  }
  return {
    kind,
    trust: "harness",
    setup: keep([{ content: "Write tests.", status: "pending" }]),
    drive: steps(9),
    says: `The ${what} has not been brought up to date for 10 steps`,
    nearly: {
      "nine steps": { drive: steps(8) },
      "an empty list": { drive: inTurn(keep([]), steps(9)) },
      "a list of which everything is done": {
        drive: inTurn(keep([{ content: "Write tests.", status: "completed" }]), steps(9)),
      },
      "a list of something else": { drive: inTurn(keep([{ title: "no content" }]), steps(9)) },
      "nine steps since it was written": { drive: inTurn(steps(1), note(written, {}), steps(8)) },
    },
    again: { row: { outcome: "throttled", until: "in 9 steps" } },
    afterCompaction: { says: `The ${what}, from before the conversation was compacted` },
    variants: {
      "more than are listed": {
        drive: inTurn(keep(Array.from({ length: 41 }, () => ({ content: "Write tests." }))), steps(9)),
        says: "[and 1 more]",
      },
      "tasks that their tools know by an id": {
        drive: inTurn(keep([{ id: "3", content: "Write tests.", owner: "alice" }]), steps(9)),
        says: "- [pending] #3 Write tests. (alice)",
      },
      "in short": { drive: steps(19), says: `The ${what}, not written for 20 steps` },
    },
  }
}

const task = (id: string, more = {}) => ({ id, description: "the tests", output: `/tmp/${id}`, ...more })
const stopped = (...all: readonly object[]) => note("task.stopped", ...all)
const progress = (...all: readonly object[]) => note("task.progress", ...all)

const team = (...members: readonly string[]) => ({
  name: "release",
  members,
  reach: "The message tool reaches them.",
})
const join = (...values: readonly unknown[]) => observe("team", ...values)

export const work: readonly Case[] = [
  list("todo_reminder", "todos", "todo.written", "todo list"),
  list("task_reminder", "tasks", "task.written", "shared task list"),
  {
    kind: "task_status",
    trust: "untrusted",
    setup: inTurn((session) => session.observe("task:b1", task("b1")), steps(1)),
    drive: stopped(task("b2", { news: "3 of 9 passed" })),
    says: "The background task b2 (the tests) was stopped.",
    nearly: {
      "a task goes on running": { drive: nothing },
      "a report about no task": { drive: stopped({ news: "3 of 9 passed" }) },
      "a task that ended before the compaction": {
        drive: inTurn((session) => session.observe("task:b1", removed()), compact),
      },
    },
    again: { row: { outcome: "nothing" } },
    together: {
      drive: progress(task("b2", { news: "3 of 9 passed" }), task("b2", { news: "5 of 9 passed" })),
      says: "5 of 9 passed",
      not: "3 of 9",
    },
    afterCompaction: { says: "The background task b1 (the tests) is still running." },
    variants: {
      "with much to tell": {
        drive: progress(task("b2", { news: "x".repeat(2_001) })),
        says: "[cut: 2000 of 2001 characters are shown]",
      },
      "stopped by somebody": {
        drive: stopped(task("b2", { by: "the user" })),
        says: "The background task b2 (the tests) was stopped by the user.",
      },
      progress: {
        drive: progress(task("b2", { news: "3 of 9 passed" })),
        says: "The background task b2 (the tests) is running. Its output is in /tmp/b2. Do not start it again.",
      },
      "still running": {
        drive: compact,
        says: "is still running. Its output is in /tmp/b1. Do not start it again.",
      },
      "asked for at the compaction": {
        drive: inTurn(compact, progress(task("b1"))),
        says: "b1 (the tests) is still running.",
      },
    },
  },
  {
    kind: "team_context",
    trust: "harness",
    setup: steps(1),
    drive: join(team("ann", "bob")),
    says: "You work in the team release, with ann, bob.",
    nearly: {
      "no team": { drive: join(removed()) },
      "the team cannot be asked for": { drive: join(unavailable()) },
    },
    again: { drive: join(team("ann", "bob")), row: { outcome: "nothing" } },
    together: { drive: join(team("ann"), team("bob")), says: "with bob.", not: "ann" },
    cancels: join(team("ann"), removed()),
    afterCompaction: { says: "You work in the team release, with ann, bob." },
    variants: {
      "alone in it": { drive: join({ name: "release", members: [] }), says: "You work in the team release." },
      dissolved: {
        drive: inTurn(join(team("ann")), steps(1), join(removed())),
        says: "There is no team any more.",
      },
    },
  },
]
