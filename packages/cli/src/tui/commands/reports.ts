import { Socket } from "node:net"
import { createInterface } from "node:readline"
import { describeRules, startSotto } from "@sotto/harness"
import { costPage } from "../../output/cost.js"
import type { Deed, SlashCommand } from "../context.js"
import { named } from "../keys/bindings.js"

export const cost: SlashCommand = {
  name: "cost",
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

export const help: SlashCommand = {
  name: "help",
  help: "keys and commands",
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

function described({ name, argument, help: what }: SlashCommand): string {
  return `- \`/${name}${argument === undefined ? "" : ` ${argument}`}\` ${what}`
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
