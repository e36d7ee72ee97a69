import { describe, expect, it } from "vitest"
import { readCommand } from "../src/settings/config/command-file.js"
import { expand } from "../src/sources/own-commands/expand.js"
import { ownCommandIn, ownCommands } from "../src/sources/own-commands/own-commands.js"

describe("what is typed after a command's name", () => {
  it.each([
    ["Review $1, then $2.", "a b", "Review a, then b."],
    ["All: $ARGUMENTS!", 'one "two three"', 'All: one "two three"!'],
    ["$1|$2|$3", "'it is' \"so \" x", "it is|so |x"],
    ["Only $2.", "one", "Only ."],
    ["It costs \\$1 or $1.", "2", "It costs $1 or 2."],
    ["No place.", "more words", "No place.\n\nmore words"],
    ["No place.", "", "No place."],
    ["$10 and $ARGUMENTSX", "a", "$10 and $ARGUMENTSX\n\na"],
    ["Twice: $1 $1", "$1", "Twice: $1 $1"],
  ])("%j with %j is %j", (text, typed, expected) => {
    expect(expand(text, typed)).toBe(expected)
  })
})

describe("a file with a command", () => {
  const read = (text: string, name = "review") => readCommand({ path: `/x/${name}.md`, text })

  it("has a description and a hint, or both from its text", () => {
    expect(read("---\ndescription: What it does\nargument-hint: FILE\n---\nDo $1.\n")).toMatchObject({
      name: "review",
      description: "What it does",
      argument: "FILE",
      text: "Do $1.",
    })
    expect(read("# Do it\n\nwith $ARGUMENTS\n")).toMatchObject({
      description: "Do it",
      argument: "[ARGUMENTS]",
    })
    expect(read("Do it.\n").argument).toBeUndefined()
  })

  it.each([
    ["", "empty", "The command says nothing."],
    ["---\ndescription: x\n", "open", "The front matter does not end."],
    ["Do it.", "1st", '"1st" cannot be typed as a command.'],
    ["Do it.", "a b", '"a b" cannot be typed as a command.'],
  ])("%j called %s is refused: %s", (text, name, why) => {
    expect(() => read(text, name)).toThrow(why)
  })
})

describe("a typed line", () => {
  const commands = ownCommands([readCommand({ path: "/x/Review.md", text: "Do $1." })], {
    skills: [
      { name: "review", description: "Another", path: "/s/SKILL.md", paths: [], topics: [] },
      { name: "Tidy", description: "Tidies", path: "/t/SKILL.md", paths: [], topics: [] },
    ],
    problems: [],
  })

  it("names a command or a skill whatever its case, and a command before a skill of the same name", () => {
    expect(commands.map(({ name, from }) => [name, from])).toEqual([
      ["review", "command"],
      ["tidy", "skill"],
    ])
    expect(ownCommandIn("/REVIEW a.ts ", commands)).toMatchObject({
      command: { name: "review" },
      typed: "a.ts",
    })
    expect(ownCommandIn("/review a\nb", commands)?.typed).toBe("a\nb")
  })

  it.each(["/reviewer", "/review/a", "review", "see /review", "/"])("%j names none", (text) => {
    expect(ownCommandIn(text, commands)).toBeUndefined()
  })

  it("is seen by the person as typed, and by the model as what it stands for", async () => {
    const { content } = (await ownCommandIn("/review a.ts", commands)?.command.prompt("a.ts")) ?? {
      content: [],
    }
    expect(content).toEqual([
      { type: "text", text: "/review a.ts", ignored: true },
      { type: "text", text: "Do a.ts.", synthetic: true },
    ])
  })
})
