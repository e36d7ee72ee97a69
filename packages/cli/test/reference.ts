import { describeCommands, overview } from "../src/commands/help.js"
import * as topics from "../src/commands/topics.js"
import { keysText } from "../src/tui/pages/keys.js"

/** What `sotto help NAME` prints. */
export function helpOn(name: string): Promise<string> {
  return topics.helpOn(name, async () => keysText())
}

/** Makes `docs/reference/commands.md` from the help of the command. */
export async function commandsPage(): Promise<string> {
  const commands = await describeCommands()
  return [
    "# Commands",
    "",
    "<!-- Written by `npm run docs` from packages/cli/src/commands; a test says when it is not current. -->",
    "",
    "What `sotto --help` and `sotto COMMAND --help` print. `man sotto` has the same, where it is installed.",
    "",
    "| command | what it does |",
    "| --- | --- |",
    "| [`sotto`](#sotto) | talk to the agent here |",
    ...commands.map(({ name, summary }) => `| [\`sotto ${name}\`](#sotto-${name}) | ${summary} |`),
    "",
    "## sotto",
    "",
    ...printed(overview()),
    ...commands.flatMap(({ name, help, manual }) => [
      "",
      `## sotto ${name}`,
      "",
      ...printed(help),
      ...(manual === undefined ? [] : ["", `More: [${manual[0]}](${manual[1]}).`]),
    ]),
    "",
  ].join("\n")
}

function printed(text: string): readonly string[] {
  return ["```text", text.trimEnd(), "```"]
}

/** Makes `packages/cli/man/sotto.1`, in roff for man(1), from the help of the command. */
export async function manual(version: string): Promise<string> {
  const commands = await describeCommands()
  const pages = await Promise.all(
    [...topics.TOPICS.keys()].map(async (name) => ({ name, text: await helpOn(name) })),
  )
  return [
    `.TH SOTTO 1 "" "sotto ${version}" "User Commands"`,
    ".SH NAME",
    "sotto \\- a coding agent in which everything the model is told can be seen",
    ".SH SYNOPSIS",
    ...literal(overview()),
    ".SH COMMANDS",
    ...commands.flatMap(({ name, help }) => [`.SS "sotto ${name}"`, ...literal(help)]),
    ...pages.flatMap(({ name, text }) => [`.SH "${name.toUpperCase()}"`, ...literal(text)]),
    ".SH FILES",
    ".TP",
    ".I sotto.json",
    "The configuration, in the settings folder ($SOTTO_HOME or ~/.config/sotto) and in the folder you work in.",
    ".TP",
    ".I $SOTTO_HOME",
    "Where sessions, trust and settings are kept if it is set; the XDG directories otherwise.",
    "",
  ].join("\n")
}

/** Text as it stands, line by line. A backslash, and a dot or quote that begins a line, mean something to roff. */
function literal(text: string): readonly string[] {
  const lines = text.trimEnd().split("\n")
  return [
    ".nf",
    ...lines.map((line) => line.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&")),
    ".fi",
  ]
}
