import { watch } from "node:fs"
import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { childEnvironment } from "../src/execution/programs/environment.js"
import { direct } from "../src/execution/programs/launch.js"
import type { Shell } from "../src/tools/bash.js"
import { Tasks } from "../src/tools/tasks/tasks.js"
import { processesIn } from "./processes.js"
import { textOf, workspace } from "./tools-support.js"

/** Waits until a file is there with a line in it, and returns the line. */
async function lineIn(folder: string, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = async () => {
      const text = await readFile(join(folder, name), "utf8").catch(() => "")
      if (!text.endsWith("\n")) return
      watcher.close()
      resolve(text.trim())
    }
    const watcher = watch(folder, look).on("error", reject)
    look()
  })
}

test("output of both streams comes in the order it was printed", async () => {
  const { run } = await workspace()
  expect(await run("bash", { command: "echo 1; echo 2 >&2; echo 3; echo 4 >&2" })).toEqual({
    content: "1\n2\n3\n4",
  })
  expect(await run("bash", { command: "true" })).toEqual({ content: "[no output]" })
})

test("a command runs in the workspace, with no input, no terminal and no colours", async () => {
  const { cwd, run } = await workspace()
  expect(
    textOf(await run("bash", { command: "pwd; cat; echo $TERM $NO_COLOR; test -t 0 || echo plain" })),
  ).toBe(`${cwd}\ndumb 1\nplain`)
  expect(
    textOf(await run("bash", { command: "printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\rdone\\n'" })),
  ).toBe("red\ndone")
})

test("an exit code other than 0 is told", async () => {
  const { run } = await workspace()
  expect(await run("bash", { command: "echo no; exit 3" })).toEqual({
    content: "no\n[Exit code 3.]",
    error: true,
  })
  expect(textOf(await run("bash", { command: "kill -9 $$" }))).toBe("[Killed by SIGKILL.]")
})

test("long output is shown by its head and tail, and is whole in a file", async () => {
  const { run, context } = await workspace()
  const text = textOf(await run("bash", { command: "seq 1 20000" }))
  expect(text.length).toBeLessThan(30_300)
  expect(text).toMatch(/^1\n2\n/)
  expect(text).toMatch(/\n19999\n20000$/)
  const [, path = ""] = /\[\d+ of 108894 bytes are not shown; all of it is in (.+)\]/.exec(text) ?? []
  expect(path.startsWith(context.scratch)).toBe(true)
  expect(await readFile(path, "utf8")).toHaveLength(108_894)
})

test("short output leaves no file", async () => {
  const { run, context } = await workspace()
  await run("bash", { command: "echo short" })
  expect(await readdir(context.scratch)).toEqual([])
})

test("a cut falls within no character", async () => {
  const { run } = await workspace()
  const text = textOf(await run("bash", { command: "for i in {1..20000}; do printf 'é€'; done" }))
  expect(text).not.toContain("\uFFFD")
})

test("a timeout ends the whole process group, and what was printed is kept", async () => {
  const { cwd, run } = await workspace()
  const command = "echo begun; bash -c 'sleep 1000 & echo $! > grandchild; wait' & wait"
  const output = await run("bash", { command, timeout: 1 })
  expect(output.error).toBe(true)
  expect(textOf(output)).toMatch(/^begun\n\[Stopped after 1 s\./)
  expect(processesIn(cwd)).toEqual([])
})

test("what ignores the polite signal is killed", async () => {
  const { cwd, run } = await workspace()
  const command =
    "bash -c \"trap '' TERM; echo \\$\\$ > stubborn; while :; do sleep 1000; done\" & trap '' TERM; wait"
  await run("bash", { command, timeout: 1 })
  await lineIn(cwd, "stubborn")
  expect(processesIn(cwd)).toEqual([])
})

test("aborting the turn ends a running command", async () => {
  const { cwd, run, turn } = await workspace()
  const running = run("bash", { command: "echo $$ > pid; sleep 1000" })
  await lineIn(cwd, "pid")
  turn.abort()
  expect(await running).toEqual({ content: "[Stopped: the turn was aborted.]", error: true })
  expect(processesIn(cwd)).toEqual([])
})

test("a command that leaves processes behind ends at once and says so", async () => {
  const tasks = new Tasks()
  const { cwd, run } = await workspace({ tasks })
  const text = textOf(await run("bash", { command: "sleep 1000 & echo started" }))
  expect(text).toMatch(/^started\n\[Processes it started are still running\. Stop them with: .*\]$/)
  expect(processesIn(cwd)).not.toEqual([])
  // With processes of its own, nothing but Sotto can reach them: they are a task, which the session's end leaves alone.
  const [task] = tasks.list()
  if (task === undefined) process.kill(-Number(/kill -- -(\d+)/.exec(text)?.[1]), "SIGKILL")
  else {
    expect(text).toContain(`task_status with {"id": "${task.id}", "stop": true}`)
    await tasks.close()
    expect(processesIn(cwd)).not.toEqual([])
    expect(await tasks.stop(task.id, "you")).toBe(true)
  }
  await vi.waitFor(() => expect(processesIn(cwd)).toEqual([]))
})

test("the timeout has bounds, and an empty command is refused", async () => {
  const { refusal } = await workspace()
  for (const timeout of [0, 601])
    expect(await refusal("bash", { command: "true", timeout })).toContain("from 1 to 600")
  expect(await refusal("bash", { command: " " })).toContain("empty")
})

test("a command in the background returns at once and reports when it ends", async () => {
  const tasks = new Tasks()
  const { cwd, run } = await workspace({ tasks })
  const finished = new Promise((resolve) => {
    tasks.onChange((task, report) => report !== undefined && resolve({ ...task, report }))
  })
  const command = "until test -e go; do sleep 0.01; done; echo late; exit 4"
  const text = textOf(await run("bash", { command, background: true }))
  const [, id = "", path = ""] = /as (bash-\w+)\. Its output goes to (.+)\.$/.exec(text) ?? []
  expect(tasks.list()).toMatchObject([
    { id, kind: "command", description: command, output: path, state: "running" },
  ])
  await mkdir(join(cwd, "go"))
  expect(await finished).toMatchObject({
    id,
    state: "failed",
    report: expect.stringContaining("ended with 4"),
  })
  expect(await readFile(path, "utf8")).toBe("late\n")
  expect(tasks.list()).toMatchObject([{ id, state: "failed" }])
})

test("a background task outlives the turn and can be stopped with all it started", async () => {
  const tasks = new Tasks()
  const { cwd, run, turn } = await workspace({ tasks })
  onTestFinished(() => tasks.close())
  await run("bash", { command: "bash -c 'sleep 1000 & echo $! > grandchild; wait'", background: true })
  await lineIn(cwd, "grandchild")
  turn.abort()
  expect(processesIn(cwd)).not.toEqual([])
  const heard: unknown[] = []
  tasks.onChange(({ state }, report) => heard.push([state, report]))
  const id = tasks.list()[0]?.id ?? ""
  expect(await tasks.stop(id, "the user")).toBe(true)
  expect(processesIn(cwd)).toEqual([])
  expect(heard).toEqual([["stopped", undefined]])
  expect(await tasks.stop(id, "the user")).toBe(false)
  expect(await tasks.stop("no such task", "the user")).toBe(false)
})

test("the shell decides what runs the command, and with which environment", async () => {
  const env = childEnvironment({ PATH: process.env.PATH, GIVEN: "yes" })
  const shell: Shell = {
    env,
    launch: async (command) => direct(["env", "WRAPPED=yes", "bash", "-c", command]),
  }
  const { run } = await workspace({ shell })
  expect(await run("bash", { command: "echo $WRAPPED $GIVEN" })).toEqual({ content: "yes yes" })
})

test("a command is judged before it runs", async () => {
  const { access } = await workspace()
  const judged = await access("bash", { command: "ls" })
  expect(judged).toContainEqual(expect.objectContaining({ permission: "bash", effect: "read" }))
})

test("a command that cannot be started is refused, not thrown at the user", async () => {
  const shell: Shell = { env: childEnvironment({}), launch: async () => direct(["/no/such/program"]) }
  const { refusal } = await workspace({ shell })
  expect(await refusal("bash", { command: "true" })).toContain("could not be started")
})
