import { describe, expect, it } from "vitest"
import { call, play } from "./scene-support.js"

const SECRET = "the-secret-value"
const files = {
  "work/.env": `KEY=${SECRET}\n`,
  "work/secrets/deep/key.txt": `${SECRET}\n`,
  "work/secrets/note.md": `${SECRET}\n`,
  "work/notes/open.txt": "the-secret-place is here\n",
  "outside/b.txt": `${SECRET}\n`,
}
const permission = { read: { ".env": "deny", "secrets/**": "deny" }, outside: "deny" }
const config = { permission }

describe.each(["build", "plan"])("a file that %s may not read", (agent) => {
  const played = (...steps: Parameters<typeof call>[]) =>
    play({
      files,
      config,
      agent,
      yes: true,
      steps: [...steps.map((one) => call(...one)), { text: "Done." }],
    })

  it("is in no result of grep, whatever is searched", async () => {
    const { results, sent } = await played(
      ["grep", { pattern: "the-secret" }],
      ["grep", { pattern: "the-secret", path: "secrets" }],
      ["grep", { pattern: "the-secret", glob: "**/.env" }],
      ["grep", { pattern: "the-secret", path: ".env" }],
      ["grep", { pattern: "the-secret", path: "secrets/deep" }],
      ["grep", { pattern: "the-secret", path: "../outside" }],
    )
    expect(results()[0]).toContain("open.txt")
    expect(results()).toHaveLength(6)
    expect(sent()).not.toContain(SECRET)
  })

  it("is in no result of glob", async () => {
    const { results } = await played(
      ["glob", { pattern: "**/*" }],
      ["glob", { pattern: "**/.env" }],
      ["glob", { pattern: "*", path: "secrets" }],
      ["glob", { pattern: "*", path: "../outside" }],
    )
    expect(results()[0]).toContain("notes/open.txt")
    for (const result of results()) expect(result).not.toMatch(/\.env\n|key\.txt|note\.md|b\.txt/)
  })

  it("is not shown when it is mentioned, and the user is told why", async () => {
    const mentioned = ["@.env", "@secrets/note.md", "@secrets/deep/key.txt:1", "@../outside/b.txt"]
    const { reports, sent } = await play({
      files,
      config,
      agent,
      prompt: `Look at ${mentioned.join(" and ")} and @secrets and @notes/open.txt.`,
      steps: [{ text: "Done." }],
    })
    expect(sent()).toContain("the-secret-place")
    expect(sent()).not.toContain(SECRET)
    expect(sent()).not.toContain("note.md\\n")
    for (const mention of mentioned)
      expect(reports().join("\n")).toContain(
        `${mention} was left as text: the permissions of ${agent} deny it`,
      )
  })

  it("is not told as instructions of its folder", async () => {
    const { sent } = await play({
      files: {
        "work/a/AGENTS.md": SECRET,
        "work/a/x.txt": "x",
        "work/b/AGENTS.md": "instructions-of-b",
        "work/b/x.txt": "x",
      },
      config: { permission: { read: { "a/AGENTS.md": "deny" } } },
      agent,
      steps: [call("read", { path: "a/x.txt" }), call("read", { path: "b/x.txt" }), { text: "Done." }],
    })
    expect(sent()).toContain("instructions-of-b")
    expect(sent()).not.toContain(SECRET)
  })
})

describe("a file that would be asked about", () => {
  const asking = { permission: { read: { "secrets/**": "ask" } } }

  it("is left out of a search that nobody was asked about", async () => {
    const { sent, results } = await play({
      files,
      config: asking,
      steps: [
        call("grep", { pattern: "the-secret", path: "." }),
        call("glob", { pattern: "secrets/**" }),
        { text: "Done." },
      ],
    })
    expect(results()[0]).toContain("open.txt")
    expect(sent()).not.toContain(SECRET)
    expect(results()[1]).not.toContain("note.md")
  })

  it("is shown when the user mentions it", async () => {
    const { sent } = await play({
      files,
      config: asking,
      prompt: "See @secrets/note.md",
      steps: [{ text: "Done." }],
    })
    expect(sent()).toContain(SECRET)
  })

  it("is searched where the user allowed the search as such", async () => {
    const { sent } = await play({
      files,
      config: { permission: { read: "ask" } },
      yes: true,
      steps: [call("grep", { pattern: "the-secret" }), { text: "Done." }],
    })
    expect(sent()).toContain(SECRET)
  })
})

describe("a file that was read under other rules", () => {
  it("is told neither as a difference nor as problems after a switch to an agent that may not read it", async () => {
    const agents = { careful: { mode: "primary", permission: { read: { "notes/*": "deny" } } } }
    const { put, say, sent, conversation } = await play({
      files,
      config: { agents },
      steps: [
        call("read", { path: "notes/open.txt" }),
        { text: "Read." },
        { text: "Careful." },
        { text: "Again." },
      ],
    })
    put("work/notes/open.txt", `${SECRET}\n`)
    conversation.switchAgent("careful")
    await say("Go on.")
    expect(sent()).not.toContain(SECRET)
    conversation.switchAgent("build")
    await say("Go on.")
    expect(sent()).toContain(SECRET)
  })
})
