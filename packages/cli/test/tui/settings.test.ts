import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { withValue } from "../../src/settings/jsonc.js"
import { withoutPermission, withPermission, writeReminder } from "../../src/settings/write.js"

const folder = mkdtempSync(join(tmpdir(), "sotto-settings-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("a settings file", () => {
  it.each([
    ["", '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["{}", '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['{ "x": 1 }', '{ "x": 1, "a": {"b":1} }'],
    ['{\n  "x": 1\n}\n', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['{\n  "x": 1, // why\n}\n', '{\n  "x": 1, // why\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['{\n  "x": 1 /* why */\n}\n', '{\n  "x": 1, /* why */\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["{\n  // only a comment\n}\n", '{\n  // only a comment\n  "a": {\n    "b": 1\n  }\n}\n'],
    [
      '{\n\t"a": {\n\t\t"c": [2], // two\n\t\t"b": 9\n\t}\n}',
      '{\n\t"a": {\n\t\t"c": [2], // two\n\t\t"b": 1\n\t}\n}',
    ],
    ['{"a": {}}', '{"a": {\n  "b": 1\n}}'],
  ])("%j keeps what is in it", (before, after) => {
    expect(withValue(before, ["a", "b"], 1)).toBe(after)
  })

  it("that cannot be read is left as it is", () => {
    const path = join(folder, "broken.json")
    writeFileSync(path, '{ "a": ')
    expect(() => writeReminder(path, "plan_mode", false)).toThrow(SyntaxError)
    expect(readFileSync(path, "utf8")).toBe('{ "a": ')
  })

  it.each([
    '{\n  "a": 1 // stays\n}\n',
    '{"projects": {"/work/app": {"permission": {"bash": {"git *": "ask"}}}}}',
    '{"projects": {"/work/app": {"permission": [{"permission": "bash", "action": "ask"}]}}}',
  ])("%j loses a rule that is taken back, and nothing else", (text) => {
    const rule = { permission: "bash", pattern: "npm test" }
    const given = withPermission(text, "/work/app", rule.permission, rule.pattern)
    const taken = withoutPermission(given, "/work/app", rule)
    expect(given).toContain("npm test")
    expect(taken).not.toContain("npm test")
    if (text.includes("stays")) expect(taken).toContain('"a": 1, // stays')
    else expect(JSON.parse(taken)).toEqual(JSON.parse(text))
    expect(withoutPermission(taken, "/work/app", rule)).toBe(taken)
  })

  it("gets a rule after the others, in the form that they have", () => {
    const project = "/work/app"
    const read = (text: string) => JSON.parse(withPermission(text, project, "bash", "npm test")) as unknown
    expect(read("")).toEqual({ projects: { [project]: { permission: { bash: { "npm test": "allow" } } } } })
    expect(read(`{"projects": {"${project}": {"permission": {"bash": "ask"}}}}`)).toEqual({
      projects: { [project]: { permission: { bash: { "*": "ask", "npm test": "allow" } } } },
    })
    expect(
      read(`{"projects": {"${project}": {"permission": [{"permission": "bash", "action": "ask"}]}}}`),
    ).toEqual({
      projects: {
        [project]: {
          permission: [
            { permission: "bash", action: "ask" },
            { permission: "bash", pattern: "npm test", action: "allow" },
          ],
        },
      },
    })
  })
})
