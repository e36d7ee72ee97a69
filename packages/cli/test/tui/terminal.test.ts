import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { bodiesOf } from "../support/bodies.js"
import { type Bench, benchWith, serverWith } from "../support/sotto.js"
import { KEYS, terminalWith } from "./support/terminal.js"

const ESC = "\u001b"
const DONE = [
  { calls: [{ name: "read", input: { path: "a.txt" } }] },
  { text: "It is **done**.\n\n```ts\nconst a = 1\n```" },
]

/** A bench whose user has settings of their own. */
function settled(terminal: object, files: Readonly<Record<string, string>> = {}): Bench {
  const bench = benchWith({ "a.txt": "one\n" })
  const put = (name: string, text: string) => {
    mkdirSync(join(bench.home, name, ".."), { recursive: true })
    writeFileSync(join(bench.home, name), text)
  }
  put("sotto.json", JSON.stringify({ titles: false, terminal }))
  for (const [name, text] of Object.entries(files)) put(name, text)
  return bench
}

const TRUE_COLOUR = { COLORTERM: "truecolor" }

async function finishedIn(bench: Bench, env: Readonly<Record<string, string>>, answer?: string) {
  const terminal = terminalWith(bench, await serverWith(DONE), {
    env,
    columns: 100,
    ...(answer !== undefined && { background: answer }),
  })
  await terminal.see("say what to do")
  terminal.type(`Go.${KEYS.enter}`)
  await terminal.see("── 2 steps")
  return terminal
}

describe.concurrent("the colours", () => {
  it("are those for the background that the terminal names", async () => {
    const light = await finishedIn(settled({}), TRUE_COLOUR, "rgb:ffff/ffff/ffff")
    expect(light.raw).toContain(`${ESC}[38;2;23;111;44m✓`)
    const dark = await finishedIn(settled({}), TRUE_COLOUR, "rgb:1e1e/1e1e/1e1e")
    expect(dark.raw).toContain(`${ESC}[38;2;126;231;135m✓`)
  })

  it("are by COLORFGBG where the terminal does not answer, and else the terminal's own", async () => {
    const told = await finishedIn(settled({}), { ...TRUE_COLOUR, COLORFGBG: "0;15" })
    expect(told.raw).toContain(`${ESC}[38;2;23;111;44m✓`)
    const silent = await finishedIn(settled({}), TRUE_COLOUR)
    expect(silent.raw).toContain(`${ESC}[32m✓`)
  })

  it("are none with NO_COLOR", async () => {
    const terminal = await finishedIn(settled({ theme: "dark" }), { ...TRUE_COLOUR, NO_COLOR: "1" })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours
    expect(terminal.raw).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-8]|9[0-7])[;m]/)
  })

  it("come from a file of the user's own, and change and stay by /theme", async () => {
    const bench = settled({ theme: "mine" }, { "themes/mine.json": '{"base": "dark", "success": "#010203"}' })
    const terminal = await finishedIn(bench, TRUE_COLOUR)
    expect(terminal.raw).toContain(`${ESC}[38;2;1;2;3m✓`)
    terminal.type(`/theme light${KEYS.enter}`)
    await terminal.see("theme: light, kept in")
    expect(terminal.raw).toContain(`${ESC}[38;2;23;111;44m✓`)
    expect(JSON.parse(readFileSync(join(bench.home, "sotto.json"), "utf8"))).toMatchObject({
      terminal: { theme: "light" },
    })
    terminal.type(`/theme${KEYS.enter}`)
    const list = await terminal.see("Theme")
    for (const name of ["auto", "dark", "light", "blue-orange", "mine"]) expect(list).toContain(name)
  })

  it("say what is wrong with a theme, and name those that there are", async () => {
    const wrong = { "themes/odd.json": '{"succes": "red", "error": "crimson"}' }
    const odd = await finishedIn(settled({ theme: "odd" }, wrong), {})
    const shown = odd.all().replaceAll(/\s+/g, " ")
    expect(shown).toContain('odd.json: nothing is drawn as "succes". There are: error, success,')
    expect(shown).toContain('error is a colour such as "#ff8800" or "cyan", not "crimson".')
    const none = await finishedIn(settled({ theme: "none" }), {})
    expect(none.all().replaceAll(/\s+/g, " ")).toContain(
      'There is no theme "none". There are: auto, terminal, dark, light, blue-orange.',
    )
  })
})

describe.concurrent("keys of the user's own", () => {
  it("take the place of the usual ones, in the list of keys too", async () => {
    const terminal = await finishedIn(settled({ keys: { asides: ["Ctrl+E"], "page.close": ["x"] } }), {})
    terminal.type(KEYS.ctrlR)
    terminal.type("\u0005")
    await terminal.see("asides are shown where they were told")
    terminal.type("?")
    expect(await terminal.see(/Ctrl\+E +asides:/)).not.toMatch(/Ctrl\+R +asides:/)
    terminal.type("x")
    await terminal.see((text) => !text.includes("Ctrl+E"))
    terminal.type(KEYS.ctrlT)
    await terminal.see("Transcript:")
    terminal.type("qx")
    await terminal.see((text) => !text.includes("Transcript:") && text.includes("say what to do"))
  })

  it("that cannot be used are named, with what there is", async () => {
    const keys = {
      azides: ["ctrl+e"],
      unfold: ["ctrl+banana"],
      redraw: ["x"],
      transcript: ["ctrl+i"],
      suspend: ["ctrl+e"],
      "next-agent": ["ctrl+e"],
      "next-mode": ["ctrl+r"],
      "interrupt-or-leave": [],
    }
    const terminal = await finishedIn(settled({ keys }), {})
    const shown = terminal.all().replaceAll(/\s+/g, " ")
    for (const problem of [
      "sotto.json: terminal.keys.azides: there is no such action. There are: send,",
      'keys.unfold: "ctrl+banana" is no key. Write it as "ctrl+e"',
      'keys.redraw: "x" is a character that is typed: add ctrl or alt.',
      'keys.transcript: terminals send "ctrl+i" as "tab": choose another key.',
      'keys.next-agent: "ctrl+e" is for suspend already.',
      'keys.next-mode: "ctrl+r" was the key for asides, which has none now.',
      "keys.interrupt-or-leave: it needs a key, because it is the way out.",
    ])
      expect(shown).toContain(problem)
  })
})

describe.concurrent("the window", () => {
  it("is called after the folder, says whether it works or waits, and gets its name back", async () => {
    const server = await serverWith([
      { calls: [{ name: "bash", input: { command: "touch b" } }] },
      { text: "Done." },
    ])
    const terminal = terminalWith(benchWith(), server)
    await terminal.see("say what to do")
    await terminal.see(() => terminal.raw.includes(`${ESC}[22;2t${ESC}]2;sotto · project${ESC}\\`))
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("❯ 1 Allow once")
    expect(terminal.raw).toContain(`${ESC}]2;… sotto · project${ESC}\\`)
    expect(terminal.raw).toContain(`${ESC}]2;? sotto · project${ESC}\\`)
    terminal.type(KEYS.enter)
    await terminal.see("── 2 steps")
    terminal.type(KEYS.ctrlD)
    await terminal.exited
    expect(terminal.raw.lastIndexOf(`${ESC}[23;2t`)).toBeGreaterThan(
      terminal.raw.lastIndexOf(`${ESC}]2;sotto`),
    )
    expect(terminal.raw.lastIndexOf(`${ESC}[?1004l`)).toBeGreaterThan(
      terminal.raw.lastIndexOf(`${ESC}[?1004h`),
    )
  })

  it("calls when it needs somebody or has finished, and only if they look elsewhere", async () => {
    const steps = [
      { calls: [{ name: "bash", input: { command: "touch b" } }] },
      { text: "Done." },
      { text: "Again." },
    ]
    const terminal = terminalWith(benchWith(), await serverWith(steps), { env: { TERM_PROGRAM: "WezTerm" } })
    await terminal.see("say what to do")
    terminal.type(`${ESC}[O`)
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("❯ 1 Allow once")
    expect(terminal.raw).toContain(`${ESC}]9;sotto needs your answer · project${ESC}\\`)
    terminal.type(KEYS.enter)
    await terminal.see("── 2 steps")
    await terminal.see(() => terminal.raw.includes(`${ESC}]9;sotto has finished · project${ESC}\\`))
    const calls = () => terminal.raw.split(`${ESC}]9;`).length
    const before = calls()
    terminal.type(`${ESC}[I`)
    terminal.type(`Once more.${KEYS.enter}`)
    await terminal.see("Again.")
    await terminal.see("── 1 step")
    expect(calls()).toBe(before)
  })

  it("rings its bell alone where notifications are not known to be shown, or is silent if that is wished", async () => {
    for (const [notify, rings] of [
      ["auto", true],
      ["bell", true],
      ["off", false],
    ] as const) {
      const terminal = terminalWith(settled({ notify }), await serverWith([{ text: "Done." }]))
      await terminal.see("say what to do")
      terminal.type(`${ESC}[O`)
      terminal.type(`Go.${KEYS.enter}`)
      await terminal.see("── 1 step")
      terminal.type(KEYS.ctrlD)
      await terminal.exited
      expect(terminal.raw.includes("\u0007")).toBe(rings)
      expect(terminal.raw).not.toContain(`${ESC}]9;`)
    }
  })
})

describe.concurrent("names of files", () => {
  it("are links to the files that were touched, and only where they can be opened", async () => {
    const bench = settled({})
    const here = await finishedIn(bench, {})
    expect(here.raw).toContain(`${ESC}]8;;file://${bench.path("a.txt")}${ESC}\\a.txt${ESC}]8;;${ESC}\\`)
    const elsewhere = await finishedIn(settled({}), { SSH_CONNECTION: "a b c d" })
    expect(elsewhere.raw).not.toContain(`${ESC}]8;`)
    const unwanted = await finishedIn(settled({ links: false }), {})
    expect(unwanted.raw).not.toContain(`${ESC}]8;`)
  })

  it("are no links where nothing was touched, or the name hides something", async () => {
    const steps = [
      { calls: ["missing.txt", "b\u0007.txt"].map((path) => ({ name: "read", input: { path } })) },
      { text: "Nothing." },
    ]
    const terminal = terminalWith(benchWith({ "b\u0007.txt": "x\n" }), await serverWith(steps))
    await terminal.see("say what to do")
    terminal.type(`Go.${KEYS.enter}`)
    await terminal.see("── 2 steps")
    expect(terminal.raw).not.toContain(`${ESC}]8;;file`)
  })
})

describe.concurrent("an image in the clipboard", () => {
  const PIXEL =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  function withPaste(script: string): {
    readonly bench: Bench
    readonly env: Readonly<Record<string, string>>
  } {
    // Not in the workspace, which must not bring programs along.
    const bench = benchWith({ "../bin/wl-paste": `#!/bin/sh\n${script}\n` })
    chmodSync(bench.path("../bin/wl-paste"), 0o755)
    return { bench, env: { PATH: `${bench.path("../bin")}:${process.env.PATH ?? ""}` } }
  }

  it("is put in by Ctrl+V and sent as an image", async () => {
    const server = await serverWith([{ text: "One pixel." }])
    const { bench, env } = withPaste(`echo ${PIXEL} | base64 -d`)
    const terminal = terminalWith(bench, server, { env })
    await terminal.see("say what to do")
    terminal.type("\u0016")
    await terminal.see(/\[Image 1: clipboard-[0-9a-f]{8}\.png\]/)
    terminal.type(`What is it?${KEYS.enter}`)
    await terminal.see("One pixel.")
    expect(JSON.stringify(bodiesOf(server)[0])).toContain(PIXEL)
  })

  it("that is not there or cannot be had is said, with what works", async () => {
    const { bench, env } = withPaste("exit 1")
    const server = await serverWith([{ text: "Hello." }])
    const terminal = terminalWith(bench, server, { env, columns: 140 })
    await terminal.see("say what to do")
    terminal.type("\u0016")
    await terminal.see(
      "No image was found in the clipboard. Reading one needs wl-paste or xclip; the path of a file works",
    )
    const far = terminalWith(bench, server, { env: { ...env, SSH_CONNECTION: "a b c d" }, columns: 140 })
    await far.see("say what to do")
    far.type("\u0016")
    await far.see("Over SSH the clipboard's image stays on your own machine.")
  })
})

it.concurrent("a folder cannot set keys or colours", async () => {
  const bench = benchWith({ "sotto.json": '{"terminal": {"keys": {"send": ["ctrl+e"]}, "theme": "none"}}' })
  const terminal = terminalWith(bench, await serverWith([{ text: "Sent." }]))
  const shown = await terminal.see(/terminal is ignored:\s+only your own\s+sotto\.json can say it\./)
  expect(shown).not.toContain("There is no theme")
  terminal.type(`Hello.${KEYS.enter}`)
  await terminal.see("Sent.")
})
