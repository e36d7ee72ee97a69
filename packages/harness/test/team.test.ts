import { createSession, restoreSession, type Session } from "@sotto/core"
import { expect, test } from "vitest"
import type { SharedTask } from "../src/session/subagents/task-list.js"
import { TaskList } from "../src/session/subagents/task-list.js"
import { Team } from "../src/session/subagents/team.js"
import { teamTools } from "../src/session/subagents/team-tools.js"
import type { ToolContext } from "../src/tools/tool.js"

const options = (id: string) => ({
  agents: [{ name: "build" }],
  model: { id: "claude-sonnet-4-5" },
  now: () => 0,
  newId: () => id,
})
const open = (session: Session) => ({
  session,
  say: (text: string, how: Parameters<Session["say"]>[1]) => void session.say(text, how),
})

/** A team with these members, all at work. */
function teamOf(...names: readonly string[]) {
  const coordinator = createSession(options("lead-session"))
  const atWork = new Set(names)
  const team = new Team({
    coordinator: open(coordinator),
    atWork: () => [...atWork],
    channelsWake: false,
  })
  const members = names.map((name) => {
    const membership = team.reserve(name)
    const session = createSession(options(name))
    team.join(name, open(session))
    return { membership, session }
  })
  return { team, coordinator, members, atWork }
}

function factOf(session: Session, key: string): unknown {
  const entry = session.log.findLast((one) => one.type === "observed" && one.key === key)
  return entry?.type === "observed"
    ? entry.fact.is === "known"
      ? entry.fact.value
      : entry.fact.is
    : undefined
}

const inbox = (session: Session) =>
  session.queue().map(({ content, origin }) => {
    const [first] = content
    return [origin, first?.type === "text" ? first.text : undefined]
  })

test("everybody is told whom they work with, and told anew when somebody joins or leaves", () => {
  const { team, coordinator, members } = teamOf("alice", "bob")
  const [alice, bob] = members.map(({ session }) => session)
  expect(factOf(coordinator, "team")).toMatchObject({ name: "team-lead-ses", members: ["alice", "bob"] })
  expect(factOf(alice as Session, "team")).toMatchObject({
    members: ["coordinator", "bob"],
    reach: expect.stringMatching(/^You are alice\. .*message.*task_create/),
  })
  team.leave("bob")
  expect(factOf(alice as Session, "team")).toMatchObject({ members: ["coordinator"] })
  expect(factOf(bob as Session, "team")).toMatchObject({ members: ["coordinator", "alice"] })
  team.leave("alice")
  expect(factOf(coordinator, "team")).toBe("removed")
})

test("messages arrive with who sent them, in order, and to all but the sender", () => {
  const { team, coordinator, members } = teamOf("alice", "bob")
  const [alice, bob] = members
  expect(team.coordinator.post("alice", "Begin.")).toBe("Sent to alice.")
  expect(bob?.membership.post("alice", "Hello.")).toBe("Sent to alice.")
  expect(alice?.membership.post("all", "I am here.")).toBe("Sent to coordinator, bob.")
  expect(inbox(alice?.session as Session)).toEqual([
    [{ kind: "coordinator" }, "Begin."],
    [{ kind: "channel", server: "team/bob" }, "Hello."],
  ])
  const fromAlice = [[{ kind: "channel", server: "team/alice" }, "I am here."]]
  expect(inbox(bob?.session as Session)).toEqual(fromAlice)
  expect(inbox(coordinator)).toEqual(fromAlice)
})

test("who has finished reads a member's message when the coordinator writes, and the sender knows", () => {
  const { team, members, atWork } = teamOf("alice", "bob")
  atWork.delete("bob")
  expect(members[0]?.membership.post("bob", "Hello.")).toBe(
    "Sent to bob. bob finished before, and will read it when the coordinator writes.",
  )
  expect(members[1]?.session.next().is).toBe("idle")
  expect(team.coordinator.post("bob", "Once more.")).toBe("Sent to bob.")
  expect(members[1]?.session.next().is).toBe("request")
})

test("what cannot be delivered is refused, with the names of those who can be written to", () => {
  const { team, members } = teamOf("alice", "bob")
  const post = (to: string, text = "Hello.") => {
    return () => members[0]?.membership.post(to, text)
  }
  expect(post("zoe")).toThrow(
    'There is no other "zoe" in the team. You can write to: coordinator, bob, or all.',
  )
  expect(post("alice")).toThrow('no other "alice"')
  expect(post("bob", " ")).toThrow("`text` is empty")
  team.reserve("carol")
  expect(post("carol")).toThrow("carol is only just starting")
  team.leave("bob")
  expect(post("bob")).toThrow("bob has ended and reads no more. You can write to: coordinator, or all.")
  expect(() => teamOf().team.coordinator.post("all", "Anybody?")).toThrow("Nobody else is in the team")
})

test("a name is one member's, until it has left; eight are the most", () => {
  const { team } = teamOf("alice")
  expect(() => team.reserve("alice")).toThrow('There is a member "alice" already')
  for (const name of ["", "a b", "</team>", "1", "x".repeat(33)])
    expect(() => team.reserve(name)).toThrow("is no name for a member")
  for (const name of ["all", "coordinator"]) expect(() => team.reserve(name)).toThrow("another meaning")
  team.leave("alice")
  for (const name of ["alice", "b", "c", "d", "e", "f", "g", "h"]) team.reserve(name)
  expect(() => team.reserve("i")).toThrow("at most 8 members. Stop one with task_status first: alice, b")
})

test("the shared list is the same in every session, and only the writer's own writing is noted", async () => {
  const { team, coordinator, members } = teamOf("alice", "bob")
  const noted: unknown[] = []
  const context = { note: (signal: unknown) => noted.push(signal) } as unknown as ToolContext
  const [create, update] = teamTools(team.coordinator)
  const [, byAlice] = teamTools(members[0]?.membership)
  await create?.run({ content: "Test it", owner: "bob" }, context)
  expect(await create?.run({ content: "Write it" }, context)).toEqual({
    content: "[ ] #1 Test it (bob)\n[ ] #2 Write it",
  })
  expect(await byAlice?.run({ id: "#2", status: "in_progress", owner: "alice" }, context)).toEqual({
    content: "[ ] #1 Test it (bob)\n[>] #2 Write it (alice)",
  })
  const list = [
    { id: "1", content: "Test it", status: "pending", owner: "bob" },
    { id: "2", content: "Write it", status: "in_progress", owner: "alice" },
  ]
  for (const session of [coordinator, ...members.map((one) => one.session)])
    expect(factOf(session, "tasks")).toEqual(list)
  expect(noted).toEqual(Array(3).fill({ type: "task.written" }))
  expect(coordinator.log.filter(({ type }) => type === "noted")).toEqual([])
  expect((await update?.run({}, context))?.content).toContain("[>] #2 Write it (alice)")
  expect(noted).toHaveLength(3)
  await expect(update?.run({ id: "9", status: "completed" }, context)).rejects.toThrow(
    /no task "9".*\n.*#1 Test/,
  )
  await expect(update?.run({ status: "completed" }, context)).rejects.toThrow("Say which task")
  await expect(create?.run({ content: " " }, context)).rejects.toThrow("`content` is empty")
})

test("who joins later sees the list, and a resumed coordinator has it still", () => {
  const { team, coordinator } = teamOf("alice")
  team.coordinator.list.create("Test it")
  team.reserve("bob")
  const bob = createSession(options("bob"))
  team.join("bob", open(bob))
  expect(factOf(bob, "tasks")).toMatchObject([{ content: "Test it" }])
  const again = restoreSession(options("lead-session"), coordinator.log)
  const resumed = new Team({ coordinator: open(again), atWork: () => [], channelsWake: false })
  expect(resumed.coordinator.list.shown()).toBe("[ ] #1 Test it")
  resumed.coordinator.list.create("Write it")
  expect(resumed.coordinator.list.shown()).toBe("[ ] #1 Test it\n[ ] #2 Write it")
  expect(factOf(again, "team")).toBe("removed")
})

test("a session that has no place in a team is told so", async () => {
  for (const tool of teamTools(undefined))
    await expect(tool.run({ content: "x", to: "all", text: "x" }, {} as ToolContext)).rejects.toThrow(
      "You work alone, not in a team.",
    )
})

test("a full list makes room by what is completed, the oldest first", () => {
  const full: SharedTask[] = Array.from({ length: 100 }, (_, i) => ({
    id: String(i + 1),
    content: `Task ${i + 1}`,
    status: "pending",
  }))
  const list = new TaskList(full, () => undefined)
  expect(() => list.create("One more")).toThrow("none is completed")
  list.update("3", { status: "completed" })
  list.create("One more")
  expect(list.items).toHaveLength(100)
  expect(list.items.at(-1)).toMatchObject({ id: "101", content: "One more" })
  expect(list.items.some(({ id }) => id === "3")).toBe(false)
})
