import type { PermissionRule } from "@sotto/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Access, Action } from "../src/permissions/access.js"
import { judge, judgeAll, planVerdict, within, withoutAsking } from "../src/permissions/index.js"
import type { Sandbox } from "../src/permissions/sandbox.js"
import { judgeCommand } from "../src/permissions/shell/accesses.js"

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
  const sandbox: Sandbox = { name: "test", wrap: (command) => [command] }

  it("runs what reads, without a sandbox", () => {
    expect(planVerdict(rules, [bash("ls", "read")], sandbox)).toMatchObject({
      action: "allow",
      sandboxed: false,
    })
  })

  it("runs what cannot be judged only in the sandbox", () => {
    const accesses = [bash("ls", "read"), bash("npm test", "unknown")]
    expect(planVerdict(rules, accesses, sandbox)).toMatchObject({ action: "allow", sandboxed: true })
    const denied = planVerdict(rules, accesses, undefined)
    expect(denied).toMatchObject({ action: "deny", sandboxed: false, access: accesses[1] })
    expect(denied.reason).toContain("npm test")
    expect(denied.reason).toContain("no sandbox")
  })

  it("does not run a command that is denied by name, nor one that edits, sandbox or not", () => {
    expect(planVerdict(rules, [bash("curl x", "unknown")], sandbox).action).toBe("deny")
    const edits = planVerdict(rules, [bash("tee a", "write"), edit("a")], sandbox)
    expect(edits).toMatchObject({ action: "deny", access: edit("a") })
    expect(edits.reason).toContain("`a`")
  })

  it("still asks what is to be asked", () => {
    const asking = [...rules, rule("bash:read", "npm *", "ask")]
    expect(planVerdict(asking, [bash("npm test", "unknown")], sandbox)).toMatchObject({
      action: "ask",
      sandboxed: true,
    })
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
    expect(planVerdict(rules, accesses, undefined).action).toBe("deny")
  })
})
