import type { TerminalContext } from "../context.js"
import type { Screen } from "../state/screen.js"
import { type ScreenLine, span, textOfLine } from "../text/line.js"
import { cut, visible } from "../text/width.js"
import type { Look } from "../view/look.js"
import { listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, type Press, pageOf, type ScreenPage, type Size } from "./page.js"
import { isFound, NO_SEARCH, nextPlace, type Search, searchAfter } from "./search.js"
import { textPage } from "./text-page.js"
import { blocksOf, type TranscriptBlock } from "./transcript-blocks.js"

/** A conversation to look through: the own one, or a subagent's. */
export interface TranscriptSource {
  readonly title: string
  about(): string
  screen(): Screen
}

interface State {
  readonly blocks: readonly TranscriptBlock[]
  readonly chosen: number
  readonly search: Search
  readonly message: string | undefined
}

export function ownTranscript(terminal: TerminalContext): ScreenPage {
  return transcriptPage(terminal, {
    title: "Transcript",
    about: () => "everything that was said, done and told",
    screen: () => terminal.ui().screen,
  })
}

export function transcriptPage(terminal: TerminalContext, transcript: TranscriptSource): ScreenPage {
  const renewed = (state: State): State => {
    const blocks = blocksOf(transcript.screen())
    const wasLast = state.chosen >= state.blocks.length - 1
    const last = Math.max(0, blocks.length - 1)
    return {
      ...state,
      blocks,
      chosen: wasLast && state.search.query === "" ? last : within(state.chosen, last),
    }
  }
  const kind: PageKind<State> = {
    name: "transcript",
    view: ({ blocks, chosen, search, message }, size) =>
      listFrame(
        {
          title: transcript.title,
          about: transcript.about(),
          rows: blocks.map(({ mark, name, note, text, given = "" }) => ({
            mark: [mark],
            label: cut(visible(name), Math.max(20, size.columns - 30)),
            detail: note,
            isHit: isFound(text, search.query) || isFound(given, search.query),
          })),
          chosen,
          empty: "Nothing has been said yet.",
          foot: footOf(blocks, search, message),
        },
        size,
      ),
    key: (state, press, size) => {
      const search = searchAfter(state.search, press)
      if (search !== undefined) return found({ ...state, search, message: undefined }, state.chosen - 1, 1)
      const { move, name } = press
      if (move === "close") return "close"
      if (name === "n") return found(state, state.chosen, 1)
      if (name === "N") return found(state, state.chosen, -1)
      const step = stepOf(move, listRoom(size))
      if (step !== undefined)
        return { ...state, message: undefined, chosen: within(state.chosen + step, state.blocks.length - 1) }
      const block = state.blocks[state.chosen]
      if (block === undefined) return state
      if (move === "open")
        terminal.show(blockPage(terminal, transcript, state.chosen, state.search.query, size))
      const message = copied(terminal, block, name)
      return message === undefined ? state : { ...state, message }
    },
    renew: renewed,
  }
  return pageOf(kind, renewed({ blocks: [], chosen: 0, search: NO_SEARCH, message: undefined }))
}

const KEYS = "↑↓ choose · Enter open · / search · y copy · Y copy what went in · Esc back"

function footOf(blocks: readonly TranscriptBlock[], search: Search, message: string | undefined): string {
  if (search.isTyped) return `/${search.query}▏ Enter finds it · Esc back`
  if (message !== undefined || search.query === "") return message ?? KEYS
  const hits = blocks.filter((block) => stands(block, search.query)).length
  return hits === 0
    ? `no “${search.query}” anywhere · ${KEYS}`
    : `“${search.query}” in ${hits} · n N · ${KEYS}`
}

function found(state: State, from: number, by: 1 | -1): State {
  const { blocks, search } = state
  if (search.query === "" || blocks.length === 0) return state
  const place = nextPlace(blocks.length, from, by, (at) => {
    const block = blocks[at]
    return block !== undefined && stands(block, search.query)
  })
  return place === undefined ? state : { ...state, chosen: place, message: undefined }
}

function stands({ text, given = "", note }: TranscriptBlock, query: string): boolean {
  return isFound(text, query) || isFound(given, query) || isFound(note, query)
}

function copied(
  terminal: TerminalContext,
  { text, given }: TranscriptBlock,
  key: Press["name"],
): string | undefined {
  if (key !== "y" && key !== "Y") return undefined
  const wanted = key === "y" ? text : given
  if (wanted === undefined || wanted === "") return "There is nothing to copy in this."
  return terminal.copy(wanted)
}

function blockPage(
  terminal: TerminalContext,
  transcript: TranscriptSource,
  first: number,
  query: string,
  size: Size,
): ScreenPage {
  let place = first
  let message: string | undefined
  const block = () => {
    const blocks = blocksOf(transcript.screen())
    return blocks[Math.min(place, blocks.length - 1)]
  }
  const lines = (width: number) => block()?.lines(lookOf(terminal, width)) ?? []
  const row = query === "" ? -1 : lines(size.columns).findIndex((one) => isFound(textOfLine(one), query))
  return textPage({
    title: (): ScreenLine => {
      const { mark = span(""), name = "", note = "" } = block() ?? {}
      return [mark, span(visible(name), { bold: true }), span(`  ${visible(message ?? note)}`, { dim: true })]
    },
    lines,
    ...(row >= 0 && { looked: { query, row } }),
    keys: "y copy · ←→ others · ",
    onKey: (press) => {
      const here = block()
      message = here && copied(terminal, here, press.name)
      const by = press.name === "left" ? -1 : press.name === "right" ? 1 : 0
      if (by === 0) return undefined
      place = within(place + by, blocksOf(transcript.screen()).length - 1)
      return "top"
    },
  })
}

function lookOf(terminal: TerminalContext, width: number): Look {
  return { width, highlight: terminal.highlight, shows: { asides: true, unfolded: true } }
}
