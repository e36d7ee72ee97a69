import { compactedText } from "../../output/words.js"
import { type CodeBlock, codeBlocks } from "../markdown/blocks.js"
import { renderMarkdown } from "../markdown/render.js"
import type { FinishedCall, RunningCall, Screen, ScreenItem, Told } from "../state/screen.js"
import { lines, type ScreenLine, span, type TextSpan, wrap } from "../text/line.js"
import { clean } from "../text/width.js"
import { subjectLines } from "../view/ask.js"
import { fullCall, givenTo, titleOf } from "../view/call.js"
import { count, duration, type Look } from "../view/look.js"

/** A piece of a conversation that can be opened, looked through and copied by itself. */
export interface TranscriptBlock {
  /** What it is, before its name. */
  readonly mark: TextSpan
  /** On one row. */
  readonly name: string
  readonly note: string
  /** What is copied: the words or the code, without anything around them. */
  readonly text: string
  /** Of a call: what went in. */
  readonly given?: string
  lines(look: Look): readonly ScreenLine[]
}

export function blocksOf(screen: Screen): readonly TranscriptBlock[] {
  return [...finishedBlocksOf(screen.items), ...growing(screen)]
}

/** By the list of items, which is another one as soon as there is one more. */
const KNOWN = new WeakMap<readonly ScreenItem[], readonly TranscriptBlock[]>()

function finishedBlocksOf(items: readonly ScreenItem[]): readonly TranscriptBlock[] {
  const known = KNOWN.get(items)
  if (known !== undefined) return known
  const blocks = answersTogether(items).flatMap(blocksIn)
  KNOWN.set(items, blocks)
  return blocks
}

/** Joins the pieces in which an answer was printed as it streamed in. */
function answersTogether(items: readonly ScreenItem[]): readonly ScreenItem[] {
  const together: ScreenItem[] = []
  for (const item of items) {
    const last = together.at(-1)
    if (item.is === "text" && !item.first && last?.is === "text")
      together[together.length - 1] = { ...last, text: last.text + item.text }
    else together.push(item)
  }
  return together
}

function blocksIn(item: ScreenItem): readonly TranscriptBlock[] {
  switch (item.is) {
    case "user":
      return [words(span("▌ ", { bold: true }), item.text, "you")]
    case "attached":
      return [words(span("↳ ", { dim: true }), item.name, item.what)]
    case "text":
      return answerBlocks(item.text)
    case "reasoning":
      return [thought(item.text, `thought for ${duration(item.seconds)}`)]
    case "call":
      return [callBlock(item.call)]
    case "aside":
      return [aside(item.told)]
    case "compacted":
      return [words(span("╎ ", { dim: true }), item.done.summary, compactedText(item.done))]
    case "task":
      return [words(span("✓ "), item.text, `background ${item.task}`)]
    case "typed":
      return [words(span("! "), item.ran.output, item.ran.command)]
    case "notice":
      return item.tone === "error" ? [words(span("✗ ", { colour: "error" }), item.text, "error")] : []
    case "question": {
      const { question } = item
      const text =
        question.kind === "plan"
          ? question.plan
          : question.kind === "question"
            ? question.question
            : (question.detail ?? question.target)
      return [
        {
          ...words(span("? ", { colour: "attention" }), text, question.kind),
          lines: (look) => subjectLines(question, look),
        },
      ]
    }
    case "page":
    case "turn":
      return []
  }
}

function answerBlocks(text: string): readonly TranscriptBlock[] {
  const code = codeBlocks(text)
  return [
    { ...answer(text, code.length === 0 ? "" : count(code.length, "code block")) },
    ...code.map(codeBlock),
  ]
}

function answer(text: string, note: string): TranscriptBlock {
  return {
    mark: span("● "),
    name: firstLine(text),
    note,
    text: text.trim(),
    lines: ({ width, highlight }) => renderMarkdown(text, width, highlight),
  }
}

function codeBlock({ code, language }: CodeBlock): TranscriptBlock {
  return {
    mark: span("▏ ", { colour: "code" }),
    name: firstLine(code),
    note: `${language === "" ? "code" : language}, ${count(code.split("\n").length, "line")}`,
    text: code,
    lines: ({ width, highlight }) =>
      (highlight?.(clean(code), language) ?? lines(code)).flatMap((row) =>
        wrap(row, width, { anywhere: true }),
      ),
  }
}

function thought(text: string, note: string): TranscriptBlock {
  return words(span("∴ ", { dim: true }), text, note)
}

function callBlock(call: FinishedCall): TranscriptBlock {
  const given = givenTo(call)
  return {
    mark: call.error ? span("✗ ", { colour: "error" }) : span("✓ ", { colour: "success" }),
    name: titleText(call),
    note: call.error ? "failed" : "",
    text: call.output,
    ...(given !== "" && { given }),
    lines: (look) => fullCall(call, look),
  }
}

function aside({ kind, carrier, tokens, step, text }: Told): TranscriptBlock {
  return words(
    span("╎ ", { dim: true }),
    text,
    `told ${kind} · ${carrier} · ${count(tokens, "token")} · step ${step}`,
  )
}

/** Lists what is not over yet: it is read anew each time. */
function growing({ reasoning, text, calls }: Screen): readonly TranscriptBlock[] {
  return [
    ...(reasoning && reasoning.text.trim() !== "" ? [thought(reasoning.text.trim(), "it thinks")] : []),
    ...(text.trim() === "" ? [] : [answer(text, "it writes")]),
    ...calls.map(running),
  ]
}

function running(call: RunningCall): TranscriptBlock {
  const given = givenTo(call)
  const told = call.progress.join("\n")
  return {
    mark: span("▶ ", { colour: "attention" }),
    name: titleText(call),
    note: call.asked === undefined ? "it runs" : "it waits for your answer",
    text: told,
    given,
    lines: ({ width }) =>
      [...lines(clean(given)), ...(told === "" ? [] : lines(clean(told), { dim: true }))].flatMap((row) =>
        wrap(row, width, { anywhere: true }),
      ),
  }
}

function words(mark: TextSpan, text: string, note: string): TranscriptBlock {
  return {
    mark,
    name: firstLine(text),
    note,
    text,
    lines: ({ width }) => lines(clean(text)).flatMap((row) => wrap(row, width)),
  }
}

function titleText(call: Pick<FinishedCall, "name" | "input">): string {
  return titleOf(call.name, call.input)
    .map(({ text }) => text)
    .join("")
}

function firstLine(text: string): string {
  return (
    clean(text)
      .split("\n")
      .find((row) => row.trim() !== "")
      ?.trim() ?? ""
  )
}
