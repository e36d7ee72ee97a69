import { describe, expect, it } from "vitest"
import { KeyDecoder, type KeyEvent, key } from "../../src/tui/input/keys.js"

const read = (...chunks: readonly string[]) => {
  const decoder = new KeyDecoder()
  return [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.flush()]
}

describe("what a terminal sends", () => {
  it.each([
    ["\r", key("enter")],
    ["\n", key("j", { ctrl: true })],
    ["\t", key("tab")],
    ["\u001b[Z", key("tab", { shift: true })],
    ["\u007f", key("backspace")],
    ["\u0003", key("c", { ctrl: true })],
    ["\u001b", key("escape")],
    ["\u001b\r", key("enter", { alt: true })],
    ["\u001bb", key("b", { alt: true })],
    ["\u001b[A", key("up")],
    ["\u001bOA", key("up")],
    ["\u001b[1;5C", key("right", { ctrl: true })],
    ["\u001b[3~", key("delete")],
    ["\u001b[13;2u", key("enter", { shift: true })],
    ["\u001b[13;3u", key("enter", { alt: true })],
    ["\u001b[27;2;13~", key("enter", { shift: true })],
    ["\u001b[27u", key("escape")],
    ["\u001b[99;5u", key("c", { ctrl: true })],
  ])("%j is a key", (sequence, pressed) => {
    expect(read(sequence)).toEqual([pressed])
  })

  it("comes in any pieces", () => {
    const whole = "ab\u001b[1;5C語\u001b[200~one\r\ntwo\u001b[A\u001b[201~c\r"
    const expected = [
      { type: "text", text: "ab" },
      key("right", { ctrl: true }),
      { type: "text", text: "語" },
      { type: "paste", text: "one\ntwo\u001b[A" },
      { type: "text", text: "c" },
      key("enter"),
    ]
    expect(read(whole)).toEqual(expected)
    const joined: KeyEvent[] = []
    for (const event of read(...whole)) {
      const last = joined.at(-1)
      if (event.type === "text" && last?.type === "text")
        joined[joined.length - 1] = { type: "text", text: last.text + event.text }
      else joined.push(event)
    }
    expect(joined).toEqual(expected)
  })

  it("is no key where the terminal only answers, or a key is let go", () => {
    expect(read("\u001b[?1u")).toEqual([{ type: "can-disambiguate" }])
    expect(read("\u001b[?62;4c")).toEqual([])
    expect(read("\u001b]11;rgb:0000/0000/0000\u0007")).toEqual([
      { type: "background", colour: "rgb:0000/0000/0000" },
    ])
    expect(read("\u001b]10;rgb:0000/0000/0000\u0007")).toEqual([])
    expect(read("\u001b[I\u001b[O")).toEqual([
      { type: "focus", isHere: true },
      { type: "focus", isHere: false },
    ])
    expect(read("\u001b[97;1:3u")).toEqual([])
    expect(read("\u001b[99~x")).toEqual([{ type: "text", text: "x" }])
  })

  it("is two escapes where Esc is pressed twice", () => {
    expect(read("\u001b\u001b")).toEqual([key("escape"), key("escape")])
    expect(read("\u001b\u001b[A")).toEqual([key("escape"), key("up")])
  })
})
