import type { Agent, PermissionRule } from "@sotto/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Access, Action } from "../src/execution/permissions/access.js"
import { judgeCommand } from "../src/execution/permissions/command-access.js"
import { Grants, gateFor } from "../src/execution/permissions/gate.js"
import { judge, judgeAll, judgeBy, within, withoutAsking } from "../src/execution/permissions/rules.js"
import type { Sandbox } from "../src/execution/permissions/sandbox/sandbox.js"
import { verdictOn } from "../src/execution/permissions/verdict.js"
import { builtInAgents } from "../src/settings/agents/builtin.js"

const rule = (permission: string, pattern: string, action: Action): PermissionRule => ({
  permission,
  pattern,
  action,
})
const edit = (target: string): Access => ({ permission: "edit", target })
const bash = (target: string, effect: NonNullable<Access["effect"]>): Access => ({
  permission: "bash",
  target,
  effect,
})

describe("rules", () => {
  it("ask where no rule speaks", () => {
    expect(judge([], edit("a"))).toBe("ask")
    expect(judge([rule("read", "*", "allow")], edit("a"))).toBe("ask")
  })

  it("let the last match win", () => {
    const rules = [rule("edit", "*", "deny"), rule("edit", "plans/*", "allow"), rule("edit", "*.key", "deny")]
    expect(judge(rules, edit("a.ts"))).toBe("deny")
    expect(judge(rules, edit("plans/a.md"))).toBe("allow")
    expect(judge(rules, edit("plans/a.key"))).toBe("deny")
  })

  it.each([
    ["*", "a/b.ts", true],
    ["src/*", "src/a/b.ts", true],
    ["src/*", "Src/a", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/a/b/c.ts", true],
    ["src/**/*.ts", "srca.ts", false],
    ["**/a", "a", true],
    ["?.ts", "a.ts", true],
    ["?.ts", "ab.ts", false],
    ["a.ts", "aXts", false],
    ["a(b)[c]", "a(b)[c]", true],
    ["a", "a\nb", false],
    ["a*", "a\nb", true],
  ])("pattern %s on %s: %s", (pattern, target, matches) => {
    expect(judge([rule("edit", pattern, "allow")], edit(target))).toBe(matches ? "allow" : "ask")
  })

  it.each([
    ["bash", "read", true],
    ["bash:read", "read", true],
    ["bash:read", "write", false],
    ["bash:write", "write", true],
    ["bash:unknown", "unknown", true],
    ["bash:*", "unknown", true],
    ["*", "write", true],
    ["Bash", "read", false],
  ] as const)("permission %s on a command that is %s: %s", (permission, effect, matches) => {
    expect(judge([rule(permission, "*", "allow")], bash("x", effect))).toBe(matches ? "allow" : "ask")
  })

  it("take a command of which nothing is said for unknown", () => {
    expect(judge([rule("bash:unknown", "*", "deny")], { permission: "bash", target: "x" })).toBe("deny")
  })
})

describe("several accesses", () => {
  const rules = [rule("*", "*", "allow"), rule("edit", "*", "ask"), rule("outside", "*", "deny")]

  it("are as good as the strictest, which is named", () => {
    const outside: Access = { permission: "outside", target: "/x" }
    expect(judgeAll(rules, [bash("x", "read"), edit("a"), outside])).toEqual({
      action: "deny",
      access: outside,
    })
    expect(judgeAll(rules, [bash("x", "read"), edit("a")])).toEqual({ action: "ask", access: edit("a") })
    expect(judgeAll(rules, [])).toEqual({ action: "allow" })
  })

  it("with --yes are allowed unless denied", () => {
    expect((["allow", "ask", "deny"] as const).map(withoutAsking)).toEqual(["allow", "allow", "deny"])
  })
})

const severity = { allow: 0, ask: 1, deny: 2 }
const anyRules = fc.array(
  fc.record({
    permission: fc.constantFrom("*", "edit", "bash", "bash:read", "bash:write", "read"),
    pattern: fc.constantFrom("*", "a*", "src/**", "a"),
    action: fc.constantFrom<Action>("allow", "ask", "deny"),
  }),
)
const anyAccess: fc.Arbitrary<Access> = fc.record({
  permission: fc.constantFrom("edit", "bash", "read", "task"),
  target: fc.constantFrom("a", "ab", "src/a", "x"),
  effect: fc.constantFrom("read" as const, "write" as const, "unknown" as const),
})

describe("a subagent", () => {
  it("never has more than its parent, nor than its own rules", () => {
    fc.assert(
      fc.property(anyRules, anyRules, anyRules, anyAccess, (grandparent, parent, child, access) => {
        const action = within(within(grandparent, parent), child)(access)
        const each = [grandparent, parent, child].map((rules) => severity[judge(rules, access)])
        expect(severity[action]).toBe(Math.max(...each))
      }),
    )
  })
})

describe("an agent that only reads", () => {
  const rules = [
    rule("*", "*", "allow"),
    rule("edit", "*", "deny"),
    rule("edit", ".sotto/plans/*", "allow"),
    rule("bash:write", "*", "deny"),
    rule("bash:unknown", "*", "deny"),
    rule("bash", "curl *", "deny"),
  ]
  const noNetwork = [...rules, rule("network", "*", "deny")]
  const sandbox: Sandbox = { name: "test", wrap: (command) => ({ argv: [command] }) }

  const readOnly = (policy: readonly PermissionRule[], accesses: readonly Access[], inside?: Sandbox) =>
    verdictOn(accesses, { judge: judgeBy(policy), reach: "read-only", sandbox: inside })

  it("runs every command in the sandbox, also one that is judged to read", () => {
    const inside = { sandbox, reach: "read-only", network: false }
    for (const effect of ["read", "unknown", "write"] as const)
      expect(readOnly(noNetwork, [bash("ls", effect)], sandbox)).toMatchObject({
        action: "allow",
        inside,
        quiet: true,
      })
  })

  it("has the network only if a rule allows it", () => {
    const network = (action: PermissionRule["action"]) =>
      readOnly([...rules, rule("network", "*", action)], [bash("ls", "read")], sandbox).inside?.network
    expect(["allow", "ask", "deny"].map((action) => network(action as "allow"))).toEqual([true, false, false])
  })

  it("runs without a sandbox only what is judged to read, whatever its rules say", () => {
    const accesses = [bash("ls", "read"), bash("npm test", "unknown")]
    expect(readOnly(rules, accesses.slice(0, 1))).toEqual({
      action: "allow",
      access: accesses[0],
      quiet: true,
    })
    for (const policy of [rules, [rule("*", "*", "allow")]]) {
      const denied = readOnly(policy, accesses)
      expect(denied).toMatchObject({ action: "deny", access: accesses[1] })
      expect(denied.inside).toBeUndefined()
      expect(denied.reason).toContain("npm test")
    }
    expect(readOnly([rule("*", "*", "allow")], accesses).reason).toContain("no sandbox")
  })

  it("does not run a command that is denied by name, nor one that edits, sandbox or not", () => {
    expect(readOnly(rules, [bash("curl x", "unknown")], sandbox).action).toBe("deny")
    const edits = readOnly(rules, [bash("tee a", "write"), edit("a")], sandbox)
    expect(edits).toMatchObject({ action: "deny", access: edit("a") })
    expect(edits.reason).toContain("`a`")
  })

  it("still asks what is to be asked", () => {
    const asking = [...rules, rule("bash:read", "npm *", "ask")]
    const verdict = readOnly(asking, [bash("npm test", "unknown")], sandbox)
    expect(verdict).toMatchObject({ action: "ask", inside: { reach: "read-only" } })
  })

  it.each([
    "echo x > f",
    "ls | tee f",
    "sed -i s/a/b/ f",
    "git commit -am x",
    "(rm f)",
    "ls | xargs rm",
    "find . -exec rm {} +",
    "echo $(rm f)",
    "cat > f <<EOF\nx\nEOF",
    "npm test",
    "python -c 1",
  ])("cannot write through %j", async (command) => {
    const accesses = await judgeCommand(command, process.cwd())
    expect(judgeAll(rules, accesses).action).toBe("deny")
    expect(readOnly(rules, accesses).action).toBe("deny")
  })
})

describe("an agent that is not confined", () => {
  const usual = [
    rule("*", "*", "allow"),
    rule("outside", "*", "ask"),
    rule("bash", "*", "ask"),
    rule("bash:read", "*", "allow"),
    rule("network", "*", "allow"),
  ]
  const sandbox: Sandbox = { name: "test", wrap: (command) => ({ argv: [command] }) }
  const confinable: Access = { ...bash("npm ls", "unknown"), confinable: true }
  const on = (accesses: readonly Access[], inside: Sandbox | undefined = sandbox) =>
    verdictOn(accesses, { judge: judgeBy(usual), sandbox: inside })

  it("has what runs unasked confined: read-only, without a network", () => {
    const inside = { sandbox, reach: "read-only", network: false, looks: true }
    expect(on([bash("ls", "read")])).toMatchObject({ action: "allow", inside, quiet: true })
  })

  it("runs what it was asked about as the user would", () => {
    const outside: Access = { permission: "outside", target: "/data/x" }
    const asked = on([bash("cat /data/x", "read"), outside])
    expect(asked).toMatchObject({ action: "ask", access: outside })
    expect(asked.inside).toBeUndefined()
    expect(on([bash("npm test", "unknown")]).inside).toBeUndefined()
  })

  it("shows what a command names for sure, and nothing that is known only when it runs", () => {
    const open = judgeBy([...usual, rule("outside", "/data/*", "allow")])
    const named: Access = { permission: "outside", target: "/data/x" }
    const lost: Access = { permission: "outside", target: "..", exact: false }
    const verdict = verdictOn([bash("cat /data/x", "read"), named, lost], { judge: open, sandbox })
    expect(verdict).toMatchObject({ action: "allow", inside: { outside: ["/data/x"] } })
  })

  it("runs what looks by running the workspace's code unasked only where a sandbox confines it", () => {
    expect(on([confinable])).toMatchObject({ action: "allow", inside: { reach: "read-only" } })
    expect(on([confinable, bash("ls", "read")])).toMatchObject({ action: "allow" })
    expect(on([confinable, bash("rm a", "write")])).toMatchObject({ action: "ask" })
    expect(verdictOn([confinable], { judge: judgeBy(usual) })).toMatchObject({ action: "ask" })
    const denied = judgeBy([...usual, rule("bash", "npm *", "deny")])
    expect(verdictOn([confinable], { judge: denied, sandbox })).toMatchObject({ action: "deny" })
  })
})

describe("a command that would leave the sandbox", () => {
  const sandbox: Sandbox = { name: "test", wrap: (command) => ({ argv: [command] }) }
  const leaving: readonly Access[] = [{ permission: "unconfined", target: "tsc" }, bash("tsc", "read")]
  const usual = judgeBy([rule("bash:read", "*", "allow")])

  it("is asked about, also where it only reads, and then runs as the user would", () => {
    for (const reach of [undefined, "workspace"] as const) {
      const verdict = verdictOn(leaving, { judge: usual, reach, sandbox })
      expect(verdict).toMatchObject({ action: "ask", access: leaving[0], quiet: false })
      expect(verdict.inside).toBeUndefined()
    }
  })

  it("is denied to an agent that only reads, and where a rule denies it", () => {
    const all = judgeBy([rule("*", "*", "allow")])
    expect(verdictOn(leaving, { judge: all, reach: "read-only", sandbox }).action).toBe("deny")
    const denying = judgeBy([rule("*", "*", "allow"), rule("unconfined", "*", "deny")])
    expect(verdictOn(leaving, { judge: denying, sandbox }).action).toBe("deny")
    expect(verdictOn(leaving, { judge: all, sandbox }).action).toBe("allow")
  })
})

describe("an agent that is confined to the workspace", () => {
  const allowed = [rule("*", "*", "allow"), rule("network", "*", "ask"), rule("bash:unknown", "*", "ask")]
  const sandbox: Sandbox = { name: "test", wrap: (command) => ({ argv: [command] }) }
  const standing = { judge: judgeBy(allowed), reach: "workspace" as const }

  it("runs its commands in the sandbox, and is asked about them as its rules say", () => {
    const inside = { sandbox, reach: "workspace", network: false }
    const wrote = verdictOn([bash("touch a", "write")], { ...standing, sandbox })
    expect(wrote).toMatchObject({ action: "allow", inside, quiet: false })
    const unknown = verdictOn([bash("npm test", "unknown")], { ...standing, sandbox })
    expect(unknown).toMatchObject({ action: "ask", inside })
    const reading = verdictOn([bash("ls", "read")], { ...standing, sandbox })
    expect(reading).toMatchObject({ action: "allow", inside: { ...inside, reach: "read-only" } })
  })

  it("may write the repository by a command that is nothing but git", () => {
    const commits = (...commands: readonly Access[]) =>
      verdictOn(commands, { ...standing, sandbox }).inside?.commits
    expect(commits(bash("git add .", "write"), bash("git commit -m x", "write"))).toBe(true)
    expect(commits(bash("git status", "read"), bash("git stash", "write"))).toBe(true)
    expect(commits(bash("git commit -m x", "write"), bash("touch a", "write"))).toBe(false)
    expect(commits(bash("git rebase --exec x", "write"))).toBe(false)
    expect(commits({ ...bash("git commit -m x", "write"), exact: false })).toBe(false)
    expect(commits(bash("git config a b", "write"))).toBe(false)
  })

  it("runs no command without a sandbox, and says what to do", () => {
    const verdict = verdictOn([bash("ls", "read")], standing)
    expect(verdict.action).toBe("deny")
    expect(verdict.reason).toMatch(/"sandbox": "workspace".*install bubblewrap/)
    expect(verdictOn([edit("a")], standing)).toEqual({ action: "allow", access: edit("a"), quiet: true })
  })
})

describe("the reason of a denial", () => {
  const denied = (agent: Agent, access: Access, parent?: Agent) => {
    const above = parent && gateFor(() => parent, undefined, new Grants())
    return gateFor(() => agent, above, new Grants()).verdict([access])
  }
  const agents = new Map(builtInAgents([rule("bash", "git push*", "deny")]).map((one) => [one.name, one]))
  const agentNamed = (name: string) => agents.get(name) as Agent
  const push = bash("git push origin", "unknown")

  it("names the rule, and does not tell an agent that works that it only reads", async () => {
    for (const name of ["build", "general", "plan", "explore"]) {
      const { action, reason } = await denied(agentNamed(name), push)
      expect(action).toBe("deny")
      expect(reason).toContain('{"git push*": "deny"}')
      expect(reason).not.toContain("only reads")
    }
  })

  it("says that the agent only reads where that is why", async () => {
    const { reason } = await denied(agentNamed("plan"), edit("a"))
    expect(reason).toBe("`a` was not changed: the agent plan only reads.")
  })

  it("names the parent where its rules deny it", async () => {
    const { reason } = await denied(agentNamed("general"), edit("a"), agentNamed("plan"))
    expect(reason).toBe("`a` was not changed: plan, for whom this agent works, only reads.")
  })
})
