import { described, help } from "../usage.js"

/** The manual page of the command, made of its help. For man(1), in roff. */
export function manual(version: string): string {
  const commands = described()
  return [
    `.TH SOTTO 1 "" "sotto ${version}" "User Commands"`,
    ".SH NAME",
    "sotto \\- a coding agent in which everything the model is told can be seen",
    ".SH SYNOPSIS",
    ...literal(help()),
    ".SH COMMANDS",
    ...commands.flatMap(({ name, page }) => [`.SS "sotto ${name}"`, ...literal(page)]),
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
