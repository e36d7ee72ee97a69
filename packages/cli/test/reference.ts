import { described, help } from "../src/usage.js"

/** `docs/reference/commands.md`, from the help of the command. */
export function commandsPage(): string {
  const commands = described()
  return [
    "# Commands",
    "",
    "<!-- Written by `npm run docs` from packages/cli/src/usage.ts; a test says when it is not current. -->",
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
    ...printed(help()),
    ...commands.flatMap(({ name, page }) => [
      "",
      `## sotto ${name}`,
      "",
      ...printed(page),
      ...manualOf(name),
    ]),
    "",
  ].join("\n")
}

function printed(text: string): readonly string[] {
  return ["```text", text.trimEnd(), "```"]
}

/** Pages that say more than the help. */
const MANUALS: Readonly<Record<string, readonly [title: string, path: string]>> = {
  run: ["Using the agent", "../agent.md#scripting"],
  sessions: ["Sessions", "../agent.md#sessions"],
  check: ["sotto check", "../check.md"],
  proxy: ["sotto proxy", "../proxy.md"],
  serve: ["The server", "../server.md"],
  inspect: ["See what the model saw", "../inspector.md"],
  trust: ["Trust", "../trust.md"],
  rules: ["Reminders", "reminders.md"],
  rehearse: ["sotto rehearse", "../rehearsal.md"],
  acp: ["Editors", "../sources/editors.md"],
  init: ["Configuration", "configuration.md"],
}

function manualOf(name: string): readonly string[] {
  const manual = MANUALS[name]
  return manual === undefined ? [] : ["", `More: [${manual[0]}](${manual[1]}).`]
}
