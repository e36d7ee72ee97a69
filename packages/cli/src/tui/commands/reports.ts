import { Socket } from "node:net"
import { createInterface } from "node:readline"
import { describeRules, startSotto } from "@sotto/harness"
import { costPage } from "../../output/cost.js"
import { configPage, contextPage, statusPage } from "../../output/session-pages.js"
import type { Deed, SlashCommand } from "../context.js"
import { named } from "../keys/bindings.js"
import { costIn } from "../state/tally.js"

export const cost: SlashCommand = {
  name: "cost",
  aliases: ["usage", "stats"],
  help: "what the session has cost, what that was spent on, and what was decided to save",
  run: async ({ talk, page }) => page(costPage(await talk().cost())),
}

export const rules: SlashCommand = {
  name: "rules",
  help: "every rule of this directory: on or off, throttle, priority, where it comes from",
  run: async ({ workplace, page }) => {
    const rows = await describeRules({ cwd: workplace.cwd, env: workplace.env })
    const cells = rows.map(
      ({ kind, on, priority, throttle: { steps, turns, limit }, source }) =>
        `| ${kind} | ${on ? "on" : "off"} | ${priority} | ${[steps && `${steps} steps`, turns && `${turns} turns`, limit && `at most ${limit}`].filter(Boolean).join(", ")} | ${source} |`,
    )
    page(["| kind | | priority | throttle | from |", "| --- | --- | --- | --- | --- |", ...cells].join("\n"))
  },
}

export const context: SlashCommand = {
  name: "context",
  help: "what the next request consists of, and how much of the model's window that is",
  run: ({ talk, page }) => page(contextPage(talk().session)),
}

export const status: SlashCommand = {
  name: "status",
  aliases: ["info", "about"],
  help: "who answers, where, with which rights, and what that has used",
  run: ({ talk, page, ui, workplace }) => {
    const { session } = talk()
    const { model, think } = talk().model()
    const account = talk().account()
    const mode = MODES[ui().leave]
    page(statusPage({ session, model, think, account, cost: costIn(account), mode }, workplace))
  },
}

const MODES = {
  ask: "asks before it acts",
  edits: "changes files without asking",
  auto: "acts without asking",
}

export const config: SlashCommand = {
  name: "config",
  aliases: ["settings"],
  help: "which files settings come from, and what they say together",
  run: ({ page, workplace }) => page(configPage(workplace)),
}

export const help: SlashCommand = {
  name: "help",
  aliases: ["commands", "h"],
  help: "keys and commands; ? shows the keys alone",
  run: (terminal) => {
    const commands = terminal.commands().map(described)
    terminal.page(`${keysOf(terminal.bindings.deeds)}\n\n${MORE}\n\n## Commands\n\n${commands.join("\n")}`)
  },
}

const MORE =
  "`@` completes files, folders and agents. `!command` runs a command of the shell yourself, and the model sees it with your " +
  "next message. A path to an image that is pasted or dropped is sent as the image."

function keysOf(deeds: readonly Deed[]): string {
  const rows = deeds.flatMap(({ help: what, keys, shown }) =>
    what === undefined || keys.length === 0 ? [] : [`| ${shown ?? keys.map(named).join(", ")} | ${what} |`],
  )
  return ["## Keys", "", "| key | what it does |", "| --- | --- |", ...rows].join("\n")
}

function described({ name, argument, aliases = [], help: what }: SlashCommand): string {
  const others = aliases.length === 0 ? "" : ` (also ${aliases.map((one) => `/${one}`).join(", ")})`
  return `- \`/${name}${argument === undefined ? "" : ` ${argument}`}\` ${what}${others}`
}

/**
 * The page runs in a process of its own, so that the terminal stays as quick as it is. It ends with this one: its input
 * does.
 */
export const inspect: SlashCommand = {
  name: "inspect",
  help: "open a page in the browser that shows what the model saw in this session",
  run: ({ talk, say, workplace }) => {
    const { id } = talk().session
    const child = startSotto(["inspect", "--attached", id], workplace.cwd)
    let trouble = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      trouble = (trouble + text).slice(-2_000)
    })
    let isShown = false
    createInterface({ input: child.stdout }).on("line", (address) => {
      isShown = true
      say(`${address} (works once)`)
    })
    child.on("error", (error) => say(error.message, "error"))
    child.on("close", () => {
      if (!isShown) say(trouble.trim() || "the page could not be opened", "error")
    })
    // The terminal does not wait for it.
    child.unref()
    for (const stream of child.stdio) if (stream instanceof Socket) stream.unref()
  },
}
