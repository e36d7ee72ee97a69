import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { PDFDocument } from "pdf-lib"
import { describe, expect, it } from "vitest"
import { files as filesSource } from "../src/sources/files/source.js"
import { completions } from "../src/sources/mentions/completions.js"
import { indexed } from "../src/sources/mentions/file-index.js"
import { looksMeant, mentionsIn } from "../src/sources/mentions/parse.js"
import { ranked } from "../src/sources/mentions/rank.js"
import { targetOf } from "../src/sources/mentions/target.js"
import { actOn, step, workplaceWith } from "./files-support.js"

const namesIn = (text: string) => mentionsIn(text).map(({ name }) => name)

describe("mentions in a text", () => {
  it.each([
    ["see @src/a.ts and @b.md", ["src/a.ts", "b.md"]],
    ['@"my notes/to do.md" first', ["my notes/to do.md"]],
    ['@"a b.ts":3-9', ["a b.ts:3-9"]],
    ["@a.ts:10-20, @a.ts:7", ["a.ts:10-20", "a.ts:7"]],
    ["look (@src/a.ts), or at @docs/.", ["src/a.ts", "docs/."]],
    ["what is @README.md?", ["README.md"]],
    ["@app/(group)/[id]/page.tsx", ["app/(group)/[id]/page.tsx"]],
    ["@docs:docs://guide/intro", ["docs:docs://guide/intro"]],
    ["@src/a.ts twice: @src/a.ts", ["src/a.ts"]],
    ["@./x and @../y and @~/z and @/etc/hosts", ["./x", "../y", "~/z", "/etc/hosts"]],
    ["看@src/a.ts。", ["src/a.ts"]],
    ["@explore, look", ["explore"]],
  ])("%j has %j", (text, names) => expect(namesIn(text)).toEqual(names))

  it.each([
    "write to ann@example.com",
    "git@github.com:a/b.git",
    "https://unpkg.com/@scope/name",
    "the span `@src/a.ts` is code",
    "``a ` @b.ts``",
    "```\n@src/a.ts\n```\nafter",
    "~~~ts\n@Decorator.ts\n~~~",
    "```\n@a.ts in a fence that never ends",
    "an escape \\@a.ts",
    "@ alone, @. and @... and @)",
  ])("%j has none", (text) => expect(namesIn(text)).toEqual([]))

  it("never throws, and gives only what stands in the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'@"`~:/.a1 \n)(') }), (text) => {
        for (const { raw } of mentionsIn(text)) expect(text).toContain(raw)
      }),
      { seed: 7, numRuns: 500 },
    )
  })
})

describe("what names nothing is worth a word", () => {
  const meant = (text: string) => mentionsIn(text).map((one) => looksMeant(one, (name) => name === "src"))
  it.each([
    "@src/nope.ts",
    "@nope.md",
    "@./nope",
    "@src/nope",
    '@"no such file"',
    "@a/b/c.ts:3",
    "@docs:guide://x",
  ])("%s", (text) => expect(meant(text)).toEqual([true]))
  it.each([
    "@types/node",
    "@angular/core",
    "@types/node@20.1.0",
    "@ann",
    "@Component({a:1})",
    "@Input",
    "@2x",
  ])("but not %s", (text) => expect(meant(text)).toEqual([false]))
})

describe("what a mention stands for", () => {
  const find = async (text: string, files: Readonly<Record<string, string>> = {}) => {
    const { cwd } = await workplaceWith(files)
    const [mention] = mentionsIn(text)
    if (mention === undefined) throw new Error(`no mention in ${text}`)
    return targetOf(mention, { cwd, agents: ["explore"], servers: ["docs"] })
  }

  it("is a file, with lines if they are given, or a directory", async () => {
    const files = { "src/a.ts": "1\n2\n" }
    expect(await find("@src/a.ts", files)).toMatchObject({ is: "file", place: { relative: "src/a.ts" } })
    expect(await find("@src/a.ts:2", files)).toMatchObject({ is: "file", lines: { from: 2, to: 2 } })
    expect(await find("@src/a.ts:9-3", files)).toMatchObject({ lines: { from: 3, to: 9 } })
    expect(await find("@src/", files)).toMatchObject({ is: "directory", place: { relative: "src" } })
    expect(await find("@src", files)).toMatchObject({ is: "directory" })
    expect(await find("看@src/a.ts的内容", files)).toMatchObject({ is: "file" })
  })

  it("is the file of the very name before anything else", async () => {
    expect(await find("@a:12", { "a:12": "odd" })).toMatchObject({ is: "file", place: { relative: "a:12" } })
  })

  it("is an agent, a resource, or nothing", async () => {
    expect(await find("@explore")).toEqual({ is: "agent", agent: "explore" })
    expect(await find("@docs:docs://guide")).toEqual({ is: "resource", server: "docs", uri: "docs://guide" })
    expect(await find("@other:docs://guide")).toEqual({ is: "missing" })
    expect(await find("@nope.ts")).toEqual({ is: "missing" })
  })
})

describe("a message that mentions something", () => {
  /** Says it, and what the model is told with it. */
  const told = async (
    text: string,
    files: Readonly<Record<string, string | Uint8Array>> = {},
    prepare: (path: (name: string) => string) => void = () => undefined,
    model?: string,
  ) => {
    const { workplace, put, path } = await workplaceWith()
    for (const [name, content] of Object.entries(files)) put(name, content)
    prepare(path)
    const one = actOn(workplace, model === undefined ? {} : { model })
    const [own] = filesSource(one.context, one.workplace)
    const { id } = one.session.say(text)
    own?.said?.({ id, content: [{ type: "text", text }] })
    return { ...one, own, path, put, text: await step(one.session, one.edited, own) }
  }

  it("has the file with its line numbers, which then counts as read", async () => {
    const { text, files, path } = await told("Explain @a.ts.", { "a.ts": "one\ntwo\n" })
    expect(text).toContain('The user mentioned a.ts. It was read for you, as by read {"path":"a.ts"}:')
    expect(text).toContain("1\tone\n2\ttwo")
    expect(files.get(path("a.ts"))).toMatchObject({ text: "one\ntwo\n" })
  })

  it("has the lines that are meant", async () => {
    const { text } = await told("Explain @a.ts:2-3", { "a.ts": "1\n2\n3\n4\n" })
    expect(text).toContain('{"path":"a.ts","offset":2,"limit":2}')
    expect(text).toContain("2\t2\n3\t3\n[Lines 2-3 of 4. Go on with offset 4.]")
  })

  it("says what of a long file is not shown", async () => {
    const { text } = await told("@a.txt", { "a.txt": "line\n".repeat(5_000) })
    expect(text).toContain("[Lines 1-2000 of 5000. Go on with offset 2001.]")
  })

  it("has only a part of a huge file, which does not count as read", async () => {
    const huge = Buffer.alloc(50_000_000, "0123456789abcde\n")
    const { text, files } = await told("@huge.log and @huge.log:2000000-2000001", { "huge.log": huge })
    expect(text.length).toBeLessThan(120_000)
    expect(text).toContain("1\t0123456789abcde")
    expect(text).toContain("2000000\t0123456789abcde\n2000001\t0123456789abcde\n[The file has 50000000 bytes")
    expect(files.paths()).toEqual([])
  })

  it("takes the start of a line that never ends", async () => {
    const { text } = await told("@one-line.json", { "one-line.json": Buffer.alloc(30_000_000, "x") })
    expect(text).toContain("[The file has 30000000 bytes")
    expect(text.length).toBeLessThan(5_000)
  })

  it("has images, notebooks and PDFs as read gives them, and long PDFs by reference", async () => {
    const pdf = async (pages: number) => {
      const document = await PDFDocument.create()
      for (let i = 0; i < pages; i++) document.addPage()
      return document.save()
    }
    const notebook = JSON.stringify({ cells: [{ cell_type: "code", source: "print(1)", outputs: [] }] })
    const { text, session } = await told("@a.png @n.ipynb @short.pdf @long.pdf", {
      "a.png": Buffer.from("\x89PNG\r\n\x1a\n...", "latin1"),
      "n.ipynb": notebook,
      "short.pdf": await pdf(2),
      "long.pdf": await pdf(30),
    })
    expect(text).toContain("a.png: image/png, 11 bytes")
    expect(text).toContain("# Cell 1 (code)")
    expect(text).toContain("short.pdf: pages 1-2 of 2")
    expect(text).toContain("The user mentioned long.pdf. It has 30 pages, too many to show at once")
    const media = session.log
      .flatMap((entry) => (entry.type === "step" ? entry.reminders : []))
      .flatMap(({ body }) => body?.media ?? [])
    expect(media.map(({ mediaType }) => mediaType)).toEqual(["image/png", "application/pdf"])
  })

  it.each([
    ["a document to a model that takes documents", "anthropic/claude-opus-5-5", true],
    ["text to any other", "openai-chat/qwen3-coder", false],
  ])("has a PDF once: as %s", async (_, model, isDocument) => {
    const document = await PDFDocument.create()
    document.addPage().drawText("The words of the page.")
    const { text, session } = await told("@a.pdf", { "a.pdf": await document.save() }, undefined, model)
    expect(session.capabilities.documents).toBe(isDocument)
    expect(text).toContain("a.pdf: pages 1-1 of 1")
    expect(text.includes("The words of the page.")).toBe(!isDocument)
    const media = session.log
      .flatMap((entry) => (entry.type === "step" ? entry.reminders : []))
      .flatMap(({ body }) => body?.media ?? [])
    expect(media).toHaveLength(isDocument ? 1 : 0)
  })

  it("says of a binary file, and of lines that are not there, why nothing is shown", async () => {
    const { text } = await told("@a.bin @a.ts:9", { "a.bin": Buffer.from([0, 1, 2]), "a.ts": "1\n" })
    expect(text).toContain("[a.bin is binary (3 bytes): not shown.")
    expect(text).toContain("there are only 1 lines")
  })

  it("lists a directory without what is ignored", async () => {
    const { text } = await told(
      "@src/ please",
      { "src/b.ts": "", "src/a/x.ts": "", "src/out.log": "", ".gitignore": "*.log\n" },
      (path) => mkdirSync(path(".git")),
    )
    expect(text).toContain("The user mentioned the directory src/. Its listing:")
    expect(text).toContain("\na/\nb.ts\n")
    expect(text).not.toContain("out.log")
  })

  it("asks for an agent", async () => {
    expect((await told("Let @explore look.")).text).toContain("The user wants the agent explore invoked.")
  })

  it("shows no more than fits in one message, and says so", async () => {
    const names = Array.from({ length: 10 }, (_, i) => `f${i}.txt`)
    const files = Object.fromEntries(names.map((name) => [name, `${"x".repeat(99)}\n`.repeat(450)]))
    const { text } = await told(names.map((name) => `@${name}`).join(" "), files)
    expect(text.length).toBeLessThan(215_000)
    expect(text.match(/\[Not shown: the message mentions more than fits/g)?.length).toBe(6)
  })

  it("does not follow what a mentioned file mentions", async () => {
    const { text } = await told("@a.md", { "a.md": "See @b.md.", "b.md": "secret" })
    expect(text).not.toContain("secret")
  })

  it("reads what the user names, wherever it is", async () => {
    const { text } = await told("@link.txt", { "../outside.txt": "outside" }, (path) =>
      symlinkSync(join("..", "outside.txt"), path("link.txt")),
    )
    expect(text).toContain("outside")
  })

  it("leaves as text what does not exist, and says so once and only where it looks meant", async () => {
    const { text, reports, own, session, edited } = await told("@nope.ts and @types/node and @ann")
    expect(text).toBe("")
    await step(session, edited, own)
    expect(reports).toEqual([
      "@nope.ts was left as text: there is no such file, directory, agent or resource.",
    ])
  })

  it("is told as it was edited before it was delivered", async () => {
    const { workplace } = await workplaceWith({ "a.ts": "of a", "b.ts": "of b", "c.ts": "of c" })
    const one = actOn(workplace)
    const [own] = filesSource(one.context, one.workplace)
    const say = (text: string, how?: object) => {
      const { id } = one.session.say(text, how)
      own?.said?.({ id, content: [{ type: "text", text }] })
      return id
    }
    say("@c.ts")
    expect(await step(one.session, one.edited, own)).toContain("of c")
    const id = say("@a.ts", { delivery: "after-turn" })
    expect(await step(one.session, one.edited, own)).toBe("")
    one.session.edit(id, { content: "@b.ts", delivery: "next-step" })
    own?.said?.({ id, content: [{ type: "text", text: "@b.ts" }] })
    const told = await step(one.session, one.edited, own)
    expect(told).toContain("of b")
    expect(told).not.toContain("of a")
  })

  it("is told when the process that heard it is gone", async () => {
    const { workplace } = await workplaceWith({ "a.ts": "of a" })
    const one = actOn(workplace)
    filesSource(one.context, one.workplace)
    one.session.say("@a.ts")
    await workplace.store().release("s")
    const again = actOn(workplace, { log: await workplace.store().open("s") })
    const [own] = filesSource(again.context, again.workplace)
    expect(await step(again.session, again.edited, own)).toContain("of a")
  })

  it("is told beside no change of the same file", async () => {
    const { session, own, edited, put } = await told("@a.ts", { "a.ts": "one\n" })
    put("a.ts", "two\n")
    const { id } = session.say("@a.ts again")
    own?.said?.({ id, content: [{ type: "text", text: "@a.ts again" }] })
    const text = await step(session, edited, own)
    expect(text).toContain("1\ttwo")
    expect(text).not.toContain("edited_text_file")
  })

  it("of a model's making mentions nothing", async () => {
    const { workplace } = await workplaceWith({ "a.ts": "of a" })
    const one = actOn(workplace)
    const sources = filesSource({ ...one.context, isSubagent: true }, one.workplace)
    const { id } = one.session.say("@a.ts")
    for (const source of sources) source.said?.({ id, content: [{ type: "text", text: "@a.ts" }] })
    expect(await step(one.session, one.edited, sources[0])).toBe("")
  })
})

describe("completions", () => {
  const ids = (paths: readonly { readonly path: string }[]) => paths.map(({ path }) => path)

  it("rank the name before the folders, and what is together before what is scattered", () => {
    const paths = ["src/parser/index.ts", "src/lexer/parser.ts", "test/parser.test.ts", "p/a/r/s/e/r.ts"].map(
      indexed,
    )
    expect(ids(ranked("parser", paths, 10))).toEqual([
      "src/lexer/parser.ts",
      "test/parser.test.ts",
      "src/parser/index.ts",
      "p/a/r/s/e/r.ts",
    ])
    expect(ids(ranked("slp", paths, 10))).toEqual(["src/lexer/parser.ts"])
    expect(ids(ranked("xyz", paths, 10))).toEqual([])
  })

  it("give files, directories and agents, without what is ignored, ready to be put in place", async () => {
    const { workplace, put } = await workplaceWith({
      "src/explorer.ts": "",
      "my notes/plan.md": "",
      "out/built.js": "",
      ".ignore": "out/\n",
    })
    const all = await completions("", workplace)
    expect(all.map(({ text }) => text)).toEqual(
      expect.arrayContaining(["@explore", "@src/", '@"my notes/"', "@.ignore"]),
    )
    expect(all.map(({ text }) => text)).not.toContain("@out/")
    const found = await completions("expl", workplace)
    expect(found.slice(0, 2)).toMatchObject([
      { kind: "agent", text: "@explore" },
      { kind: "file", text: "@src/explorer.ts" },
    ])
    expect(await completions("plan", workplace)).toContainEqual({ kind: "file", text: '@"my notes/plan.md"' })
    // What is new is there once the list has been made anew.
    put("src/newcomer.ts", "")
    await expect.poll(() => completions("newcomer", workplace), { timeout: 30_000 }).toHaveLength(1)
  })

  it("look at most paths once", () => {
    const paths = Array.from({ length: 100_000 }, (_, i) =>
      indexed(`src/module${i % 100}/part${i}/file${i}.ts`),
    )
    expect(ids(ranked("file99999", paths, 50))[0]).toBe("src/module99/part99999/file99999.ts")
    expect(ranked("mfts", paths, 50)).toHaveLength(50)
  })
})
