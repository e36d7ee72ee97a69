import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession } from "@sotto/core"
import { expect, onTestFinished, test } from "vitest"
import { Grants } from "../src/execution/permissions/gate.js"
import { openProjectRuntime } from "../src/session/open/project-runtime.js"
import { assembleTools, toolDefinitions } from "../src/session/open/tools.js"
import { OpenQuestions } from "../src/tools/events/questions.js"
import { Tasks } from "../src/tools/tasks/tasks.js"

test.each([
  ["with nothing configured", {}],
  ["with snip and an MCP server", { snip: true, mcp: { one: { command: "true" } } }],
])("a session is opened with the definitions of the tools that it gets, %s", async (_, config) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-opening-")))
  const home = join(root, "home")
  mkdirSync(home)
  writeFileSync(join(home, "sotto.json"), JSON.stringify(config))
  const workplace = await openProjectRuntime({ cwd: root, env: { HOME: home, SOTTO_HOME: home } })
  onTestFinished(async () => {
    await workplace.close()
    rmSync(root, { recursive: true, force: true })
  })
  const { agents } = workplace
  const session = createSession({
    agents,
    model: { id: "anthropic/claude-opus-5-5" },
    now: () => 0,
    newId: () => "s",
  })
  const questions = new OpenQuestions(
    () => {},
    () => false,
  )
  const parent = {
    agents,
    model: () => session.model,
    questions,
    tasks: new Tasks(),
    team: undefined,
    open: () => Promise.reject(new Error("no subagent is started here")),
  }
  const tools = assembleTools({
    workplace,
    session,
    commands: { switchAgent: () => {}, setAuto: () => {}, auto: false },
    grants: new Grants(),
    parent,
    membership: undefined,
  })
  expect(tools.map(({ definition }) => definition)).toEqual(toolDefinitions(workplace))
})
