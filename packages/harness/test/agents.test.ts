import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Agent, neutralise, type PermissionRule } from "@sotto/core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Action } from "../src/execution/permissions/access.js"
import { Grants, gateFor } from "../src/execution/permissions/gate.js"
import { judge } from "../src/execution/permissions/rules.js"
import { builtInAgents } from "../src/settings/agents/builtin.js"
import { loadAgents } from "../src/settings/agents/load.js"
import { checkSelectable } from "../src/settings/agents/selection.js"
import { ConfigError } from "../src/settings/config/error.js"
import { loadConfig } from "../src/settings/load.js"

let root: string
let cwd: string
let env: Record<string, string>

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-agents-")))
  cwd = join(root, "project", "inner")
  env = { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") }
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(root, "project", ".git"))
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

async function loadAll(): Promise<readonly Agent[]> {
  return loadAgents({ cwd, env, trusted: true, config: await loadConfig({ cwd, env, trusted: true }) })
}

async function agents(): Promise<(name: string) => Agent> {
  const all = await loadAll()
  return (name) => named(all, name)
}

function named(all: readonly Agent[], name: string): Agent {
  const found = all.find((agent) => agent.name === name)
  if (found === undefined) throw new Error(`no agent ${name}`)
  return found
}

const EFFECTS = ["read", "write", "unknown"] as const

/** `access` as rules name it: "edit", "bash:write". */
function judged({ permission: rules = [] }: Agent, access: string, target = "x"): Action {
  const [permission = "", named] = access.split(":")
  const effect = EFFECTS.find((one) => one === named)
  return judge(rules, { permission, target, ...(effect && { effect }) })
}

describe("the built-in agents", () => {
  const all = builtInAgents()
  const agent = (name: string) => named(all, name)

  it("are eight, two for the user, three for other agents, three hidden", () => {
    expect(all.map(({ name }) => name)).toEqual([
      ...["build", "plan", "general", "explore", "scout", "compaction", "title", "summary"],
    ])
    expect(all.every(({ native }) => native === true)).toBe(true)
    expect(all.filter(({ mode }) => mode === "subagent").map(({ name }) => name)).toEqual([
      ...["general", "explore", "scout"],
    ])
    expect(all.filter(({ hidden }) => hidden).map(({ name }) => name)).toEqual([
      ...["compaction", "title", "summary"],
    ])
    expect(all.filter(({ prompt }) => prompt === undefined).map(({ name }) => name)).toEqual([
      ...["build", "plan", "general"],
    ])
    expect(agent("plan")).toMatchObject({ planning: true, options: { sandbox: "read-only" } })
  })

  it.each([
    [
      "build",
      "read allow · edit ask · bash:read allow · bash:write ask · bash:unknown ask · outside ask · task allow · question allow · plan_exit allow · snip allow · mcp_tool ask",
    ],
    [
      "plan",
      "read allow · edit deny · bash:read allow · bash:write deny · bash:unknown deny · outside ask · task allow · question allow · plan_exit allow · snip allow · mcp_tool deny",
    ],
    [
      "general",
      "read allow · edit ask · bash:read allow · bash:write ask · bash:unknown ask · outside ask · task deny · question deny · plan_exit deny · snip allow · mcp_tool ask",
    ],
    [
      "explore",
      "read allow · edit deny · bash:read allow · bash:write deny · bash:unknown deny · outside ask · task deny · question deny · plan_exit deny · snip allow · mcp_tool deny",
    ],
    [
      "scout",
      "read allow · edit deny · bash:read allow · bash:write deny · bash:unknown deny · outside ask · task deny · question deny · plan_exit deny · snip allow · mcp_tool deny",
    ],
    ["title", "read deny · edit deny · bash:read deny · mcp_tool deny"],
  ])("%s may do what it needs and no more", (name, expected) => {
    const actual = expected.split(" · ").map((pair) => {
      const access = pair.split(" ")[0] ?? ""
      return `${access} ${judged(agent(name), access)}`
    })
    expect(actual.join(" · ")).toBe(expected)
  })

  it("lets plan write its plan file", () => {
    expect(judged(agent("plan"), "edit", ".sotto/plans/parser.md")).toBe("allow")
    expect(judged(agent("plan"), "edit", "src/parser.ts")).toBe("deny")
  })

  it("speak calmly and conceal nothing", () => {
    for (const { prompt = "" } of all) {
      expect(prompt).not.toMatch(/[A-Z]{5,}|!|never mention|do not (tell|reveal|mention)|secret/)
      expect(neutralise(String(prompt).replace("<system-reminder>", "")).count).toBe(0)
    }
  })
})

describe("rules for all agents", () => {
  const forAll: readonly PermissionRule[] = [
    { permission: "*", pattern: "*", action: "allow" },
    { permission: "edit", pattern: "*", action: "allow" },
    { permission: "bash", pattern: "*", action: "allow" },
    { permission: "mcp_*", pattern: "*", action: "allow" },
    { permission: "read", pattern: ".env", action: "deny" },
  ]
  const all = builtInAgents(forAll)

  it("loosen what build and general are asked about", () => {
    for (const name of ["build", "general"])
      for (const access of ["edit", "bash:unknown", "mcp_tool"])
        expect(judged(named(all, name), access)).toBe("allow")
    expect(judged(named(all, "general"), "task")).toBe("deny")
  })

  it("do not make a read-only agent write", () => {
    for (const name of ["plan", "explore", "scout", "compaction"])
      for (const access of ["edit", "bash:write", "bash:unknown", "mcp_tool"])
        expect(`${name} ${access} ${judged(named(all, name), access)}`).toBe(`${name} ${access} deny`)
  })

  it("restrict every agent", () => {
    for (const agent of all) expect(judged(agent, "read", ".env")).toBe("deny")
  })
})

describe("loadAgents", () => {
  it("adds, changes and removes, nearer word last", async () => {
    put("own/agents/review.md", "---\ndescription: mine\ncolor: red\nmode: subagent\n---\nMy review.")
    put(
      "project/sotto.json",
      `{"agents": {"review": {"color": "green", "steps": 5}, "scout": {"disable": true}}}`,
    )
    put(
      "project/.sotto/agents/review.md",
      "---\ndescription: theirs\npermission:\n  bash:\n    'npm test': allow\n---\n",
    )
    put("project/inner/.sotto/agents/plan.md", "Plan my way.")
    const all = await loadAgents({
      cwd,
      env,
      trusted: true,
      config: await loadConfig({ cwd, env, trusted: true }),
    })
    const review = named(all, "review")
    expect(review).toMatchObject({
      description: "theirs",
      color: "green",
      steps: 5,
      mode: "subagent",
      prompt: "My review.",
    })
    expect(review.native).toBeUndefined()
    expect(judged(review, "bash:unknown", "npm test")).toBe("allow")
    expect(judged(review, "edit")).toBe("ask")
    expect(all.some(({ name }) => name === "scout")).toBe(false)
    expect(named(all, "plan")).toMatchObject({ prompt: "Plan my way.", mode: "primary" })
  })

  it("trusts a prompt as Sotto's own only if it is", async () => {
    put("project/sotto.json", `{"agents": {"explore": {"steps": 3}, "title": {"prompt": "Mine."}}}`)
    const agent = await agents()
    expect(agent("explore").native).toBe(true)
    expect(agent("title").native).toBeUndefined()
  })

  it("lets a rule for one agent by name go beyond its limits, and keeps its options", async () => {
    put(
      "project/sotto.json",
      `{"agents": {"explore": {"permission": {"edit": {"docs/*": "allow"}}, "options": {"x": 1}}}}`,
    )
    const explore = (await agents())("explore")
    expect(judged(explore, "edit", "docs/a.md")).toBe("allow")
    expect(judged(explore, "edit", "src/a.ts")).toBe("deny")
    expect(explore.options).toEqual({ sandbox: "read-only", x: 1 })
  })

  it("lets nothing go beyond planning: edits stay denied, a tool of a server may be vouched for by its name", async () => {
    const permission = { edit: "allow", mcp: { "*": "allow", docs_search: "allow" } }
    put("project/sotto.json", JSON.stringify({ agents: { designer: { planning: true, permission } } }))
    const designer = (await agents())("designer")
    const { judge } = gateFor(() => designer, undefined, new Grants())
    expect(judge({ permission: "edit", target: "docs/a.md" })).toBe("deny")
    expect(judge({ permission: "edit", target: ".sotto/plans/a.md" })).toBe("allow")
    expect(judge({ permission: "mcp", target: "docs_search" })).toBe("allow")
    expect(judge({ permission: "mcp", target: "docs_search", effect: "write" })).toBe("deny")
    expect(judge({ permission: "mcp", target: "docs_other" })).toBe("deny")
    expect(judge({ permission: "read", target: "a.md" })).toBe("allow")
    for (const target of ["run.sh", "deep/er.md", "../plans.md", ".md/x"])
      expect(judge({ permission: "edit", target: `.sotto/plans/${target}` })).toBe("deny")
  })

  it.each([
    ["asked about", { "files/store": "ask" }],
    ["covered by a pattern", { "*/*": "allow", "f*": "allow" }],
  ])("does not take a tool of a server that is %s for vouched for", async (_, mcp) => {
    put("project/sotto.json", JSON.stringify({ agents: { plan: { permission: { mcp } } } }))
    const plan = (await agents())("plan")
    const { judge } = gateFor(() => plan, undefined, new Grants())
    expect(judge({ permission: "mcp", target: "files/store" })).toBe("deny")
  })

  it("lets an agent that serves both write plans for a user, and none for another agent", async () => {
    put("project/.sotto/agents/drafter.md", "---\nmode: all\nplanning: true\n---\nDraft.")
    const agent = await agents()
    const plan = { permission: "edit", target: ".sotto/plans/a.md" }
    const parent = gateFor(() => agent("build"), undefined, new Grants())
    expect(gateFor(() => agent("drafter"), undefined, new Grants()).judge(plan)).toBe("allow")
    expect(gateFor(() => agent("drafter"), parent, new Grants()).judge(plan)).toBe("deny")
  })

  it("lets a subagent that plans write nothing, ask nothing and end nothing", async () => {
    put("project/.sotto/agents/drafter.md", "---\nmode: subagent\nplanning: true\n---\nDraft.")
    const drafter = (await agents())("drafter")
    const { judge } = gateFor(() => drafter, undefined, new Grants())
    for (const [permission, target] of [
      ["edit", ".sotto/plans/a.md"],
      ...["task", "question", "plan_exit"].map((name) => [name, "*"]),
    ])
      expect(judge({ permission: permission ?? "", target: target ?? "" })).toBe("deny")
    expect(judge({ permission: "read", target: "a.md" })).toBe("allow")
  })

  it("adds a prompt to the base: of the model's family, or of the built-in agent", async () => {
    put(
      "project/sotto.json",
      `{"agents": {"build": {"prompt": {"add": "Rhyme."}}, "explore": {"prompt": {"add": "Rhyme."}}}}`,
    )
    put("project/.sotto/agents/poet.md", "---\nprompt: add\n---\nRhyme.")
    const agent = await agents()
    expect(agent("build").prompt).toEqual({ add: "Rhyme." })
    expect(agent("poet").prompt).toEqual({ add: "Rhyme." })
    expect(agent("explore").prompt).toMatch(/\S[\s\S]*\n\nRhyme\.$/)
  })

  it.each([
    ["project/sotto.json", `{\n  "agents": {"build": {"variant": "hihg"}}\n}`, 2],
    ["project/.sotto/agents/mine.md", "---\ndescription: x\nvariant: hihg\n---\nx", 3],
  ])("refuses a variant that no model has, and says where it stands: %s", async (file, content, line) => {
    put(file, content)
    const error = await agents().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(String(error)).toMatch(
      new RegExp(`${file.split("/").at(-1)}:${line}: agents\\.\\w+\\.variant: No model has`),
    )
  })

  it("takes a variant that a model has, and a thinking level", async () => {
    put(
      "project/sotto.json",
      `{"agents": {"build": {"variant": "deep"}, "plan": {"variant": "high"}}, "models": {"anthropic/x": {"variants": {"deep": {"think": "high"}}}}}`,
    )
    expect((await agents())("build").variant).toBe("deep")
  })

  it("lets a person name a hidden agent of their own, and none of Sotto's", async () => {
    put("project/.sotto/agents/quiet.md", "---\nhidden: true\n---\nx")
    const all = await loadAll()
    expect(() => checkSelectable(all, "quiet")).not.toThrow()
    expect(() => checkSelectable(all, "title")).toThrow(/used by Sotto itself/)
    expect(() => checkSelectable(all, "explore")).toThrow(/works for other agents only/)
  })

  it.each([
    ["an unknown field", "a.md", "---\ndescription: x\ntemprature: 1\n---\nx", 3, "temprature"],
    ["a wrong type", "a.md", "---\nsteps: many\n---\nx", 2, "steps"],
    ["a wrong word", "a.md", "---\n# who\nmode: helper\n---\nx", 3, "mode"],
    ["an empty field", "a.md", "---\nmodel:\n---\nx", 2, "model"],
    [
      "a bad action",
      "a.md",
      "---\npermission:\n  edit: allow\n  bash:\n    git *: maybe\n---\nx",
      5,
      "permission.bash.git *",
    ],
    ["a list", "a.md", "---\n- a\n---\nx", 2, ""],
    ["invalid YAML", "a.md", "---\nmode: all\ndescription: use when: asked\n---\nx", 3, ""],
    ["an alias", "a.md", "---\npermission:\n  *: allow\n---\nx", 3, ""],
    ["front matter without end", "a.md", "---\nmode: all\nx", 1, ""],
    ["a bad name", "my agent.md", "x", 1, ""],
  ])("names file, line and field of %s", async (_, name, text, line, field) => {
    const file = put(`project/.sotto/agents/${name}`, text)
    const error = await agents().catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ file, line, field })
  })
})
