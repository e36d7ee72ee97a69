import { promptName, type ServerStatus } from "@sotto/harness"
import { logInAt } from "../commands/mcp.js"
import type { TerminalContext } from "../context.js"
import { BLANK, lines, type ScreenLine, span, wrap } from "../text/line.js"
import { clean, visible } from "../text/width.js"
import { count } from "../view/look.js"
import { listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, pageOf, type ScreenPage } from "./page.js"
import { endOfFile, textPage } from "./text-page.js"

interface State {
  readonly chosen: number
}

export function mcpPage(terminal: TerminalContext): ScreenPage {
  const kind: PageKind<State> = {
    name: "mcp",
    view: ({ chosen }, size) =>
      listFrame(
        {
          title: "MCP servers",
          about: "what is connected, and what it offers",
          rows: [...terminal.workplace.mcp.statuses().map(rowOf), ...switchedOff(terminal)],
          chosen,
          empty: "No MCP server is configured: sotto mcp add adds one.",
          foot: `↑↓ choose · Enter tools and log · r reconnect${
            terminal.workplace.mcp.statuses()[chosen]?.state === "login" ? " · l log in" : ""
          } · Esc back`,
        },
        size,
      ),
    key: ({ chosen }, { move, name }, size) => {
      if (move === "close") return "close"
      const statuses = terminal.workplace.mcp.statuses()
      const step = stepOf(move, listRoom(size))
      if (step !== undefined)
        return {
          chosen: within(chosen + step, Math.max(0, statuses.length + switchedOff(terminal).length - 1)),
        }
      const status = statuses[chosen]
      if (status && move === "open") terminal.show(serverPage(terminal, status.name))
      if (status && name === "r") void terminal.workplace.mcp.reconnect(status.name)
      if (status?.state === "login" && name === "l") {
        // Where to log in is told in the conversation.
        void logInAt(terminal, status.name)
        return "close"
      }
      return { chosen }
    },
    // Statuses are read when they are drawn.
    renew: (state) => ({ ...state }),
  }
  return pageOf(kind, { chosen: 0 })
}

const MARKS: Readonly<Record<ServerStatus["state"], ScreenLine>> = {
  connected: [span("✓ ", { colour: "success" })],
  connecting: [span("… ", { colour: "attention" })],
  gone: [span("! ", { colour: "attention" })],
  failed: [span("✗ ", { colour: "error" })],
  login: [span("! ", { colour: "attention" })],
}

function rowOf(status: ServerStatus) {
  return { label: status.name, detail: detailOf(status), mark: MARKS[status.state] }
}

function detailOf({ state, why = "no reason given", tools, prompts }: ServerStatus): string {
  switch (state) {
    case "connected": {
      const prompted = prompts.length === 0 ? "" : `, ${count(prompts.length, "prompt")}`
      return `connected, ${count(tools.length, "tool")}${prompted}`
    }
    case "connecting":
      return "connecting"
    case "login":
      return why
    case "gone":
      return `gone, it is tried again: ${why}`
    case "failed":
      return `not connected: ${why}`
  }
}

function switchedOff({ workplace }: TerminalContext) {
  const { mcp } = workplace.config
  return Object.entries(mcp).flatMap(([name, { disable }]) =>
    disable === true
      ? [{ label: name, detail: "switched off in the configuration", mark: [span("  ")] }]
      : [],
  )
}

function serverPage(terminal: TerminalContext, name: string): ScreenPage {
  const status = () => terminal.workplace.mcp.statuses().find((one) => one.name === name)
  return textPage({
    title: (): ScreenLine => {
      const found = status()
      return found
        ? [
            ...MARKS[found.state],
            span(visible(name), { bold: true }),
            span(`  ${rowOf(found).detail}`, { dim: true }),
          ]
        : []
    },
    lines: (width) => {
      const found = status()
      return found === undefined ? [] : serverLines(found, width)
    },
    keys: "r reconnect · ",
    onKey: (press) => {
      if (press.name === "r") void terminal.workplace.mcp.reconnect(name)
      return undefined
    },
  })
}

function serverLines(
  { why, instructions, tools, prompts, prefix, log, state }: ServerStatus,
  width: number,
): readonly ScreenLine[] {
  const heading = (text: string): ScreenLine => [span(text, { bold: true })]
  const about = tools.flatMap(({ name, description, readOnly, destructive }) => {
    const kind = readOnly ? " (says that it only reads)" : destructive ? " (may delete or overwrite)" : ""
    return [
      ...wrap([span(visible(name), { colour: "code" }), span(kind, { dim: true })], width, {
        first: [span("  ")],
      }),
      ...lines(clean(description)).flatMap((row) => wrap(row, width, { first: [span("    ")] })),
    ]
  })
  const printed = log === undefined ? "" : endOfFile(log)
  return [
    ...(state === "connected" || why === undefined
      ? []
      : wrap([span(`Why it is not connected: ${clean(why)}`, { colour: "error" })], width)),
    ...(instructions === undefined
      ? []
      : [
          heading("What it says of itself"),
          ...lines(clean(instructions)).flatMap((row) => wrap(row, width, { first: [span("  ")] })),
          BLANK,
        ]),
    heading(count(tools.length, "tool")),
    ...about,
    ...(prompts.length === 0 ? [] : [BLANK, heading(count(prompts.length, "prompt"))]),
    ...prompts.flatMap(({ name, description }) => [
      ...wrap([span(`/${promptName(prefix, name)}`, { colour: "code" })], width, { first: [span("  ")] }),
      ...lines(clean(description)).flatMap((row) => wrap(row, width, { first: [span("    ")] })),
    ]),
    BLANK,
    heading("What it printed"),
    ...(log === undefined
      ? [[span("  It is reached over the network: its log is where it runs.", { dim: true })]]
      : printed === ""
        ? [[span("  Nothing.", { dim: true })]]
        : [
            ...wrap([span(`All of it is in ${visible(log)}`, { dim: true })], width, { first: [span("  ")] }),
            ...lines(clean(printed)).flatMap((row) =>
              wrap(row, width, { first: [span("  ")], anywhere: true }),
            ),
          ]),
  ]
}
