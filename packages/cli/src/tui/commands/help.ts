import { named } from "../keys/bindings.js"
import type { Deed } from "../keys/deeds.js"
import type { SlashCommand } from "./command.js"

export const help: SlashCommand = {
  name: "help",
  help: "keys and commands",
  run: (around) => {
    const commands = around.commands().map(described)
    around.page(`${keysOf(around.bindings.deeds)}\n\n${MORE}\n\n## Commands\n\n${commands.join("\n")}`)
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
