import { mkdtemp, realpath } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { judgeCommand } from "../src/execution/permissions/command-access.js"

let cwd = ""
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "sotto-shell-")))
})

describe("what a command touches", () => {
  const targets = async (command: string, permission: string) =>
    (await judgeCommand(command, cwd))
      .filter((access) => access.permission === permission)
      .map((access) => access.target)

  it("is one access for each command, with the whole line for the person asked", async () => {
    const accesses = await judgeCommand("ls -l | grep x && rm y", cwd)
    const detail = "ls -l | grep x && rm y"
    expect(accesses).toEqual([
      { permission: "bash", target: "ls -l", effect: "read", detail },
      { permission: "bash", target: "grep x", effect: "read", detail },
      { permission: "bash", target: "rm y", effect: "write", detail },
      { permission: "edit", target: "y", detail },
    ])
  })

  it.each([
    ["echo x > a/b", ["a/b"]],
    ["echo x > 'a b'", ["a b"]],
    ["cp a b c", ["c"]],
    ["cp -t dir a b", ["dir"]],
    ["mv a b", ["a", "b"]],
    ["tee a b < c", ["a", "b"]],
    ["sed -i s/a/b/ f g", ["f", "g"]],
    ["dd if=a of=b", ["b"]],
    ["chmod +x a", ["a"]],
    ["cd sub && touch a", ["a", "sub/a"]],
    ["bash -c 'touch a'", ["a"]],
    ["timeout 5 touch a", ["a"]],
    ["mkdir -p src/{a,b}", ["src/{a,b}"]],
  ])("%s changes %j", async (command, expected) => {
    expect(await targets(command, "edit")).toEqual(expected)
    expect(await targets(command, "outside")).toEqual([])
  })

  it.each([
    ["echo x > /etc/f", "/etc/f"],
    ["echo x > ../../../../../../etc/f", "/etc/f"],
    ["echo x > ~/f", join(homedir(), "f")],
    ["cd /etc && touch f", "/etc/f"],
    ["f() { touch f; }; cd /etc; f", "/etc/f"],
    ['cd "$x" && touch f', "f"],
    ["echo x > $HOME/f", "$HOME/f"],
    ["ls | xargs rm", "…"],
    ["touch */../../f", "*/../../f"],
  ])("%s reaches outside the workspace", async (command, expected) => {
    expect(await targets(command, "outside")).toContain(expected)
    expect(await targets(command, "edit")).toContain(expected)
  })

  it("takes a quoted tilde for the name it is", async () => {
    expect(await targets("touch '~/x'", "edit")).toEqual(["~/x"])
  })

  it("names a program as it is run, so that a rule for rm means it however it is quoted", async () => {
    expect(await targets("\\rm x; 'rm' y", "bash")).toEqual(["rm x", "rm y"])
  })

  it("lists what a prefix or a shell runs beside it", async () => {
    expect(await targets("env A=b timeout 5 rm x", "bash")).toContain("rm x")
    expect(await targets("bash -c 'ls; git push'", "bash")).toEqual([
      "bash -c 'ls; git push'",
      "ls",
      "git push",
    ])
  })

  it("is the use of a shell even where there is no command", async () => {
    expect(await judgeCommand("x=1", cwd)).toEqual([
      { permission: "bash", target: "x=1", effect: "read", detail: "x=1" },
    ])
    expect(await targets("for f in a b; do ls; done", "bash")).toEqual(["ls"])
  })

  it("is one unknown command where it cannot be parsed", async () => {
    const [access, ...more] = await judgeCommand('echo "', cwd)
    expect(access).toMatchObject({ permission: "bash", effect: "unknown", target: 'echo "' })
    expect(more).toEqual([])
  })
})
