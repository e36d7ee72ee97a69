/**
 * What is wrong with an option or argument that Node's `parseArgs` refused, and where the right ones are listed. Its own
 * words name no command. Returns undefined for an error that is not about the command line.
 */
export function badArgument(error: unknown, command: string | undefined): string | undefined {
  if (!(error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")))
    return undefined
  const name = command === undefined || command.startsWith("-") ? "sotto" : `sotto ${command}`
  return `${wrong(String(error.code), error.message)} See \`${name} --help\`.`
}

function wrong(code: string, message: string): string {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? ""
  // Written as '-m, --model <value>' where an option has a short form, or takes a value.
  const option = quoted.replace(/^-\w, /, "").replace(/ <value>$/, "")
  if (quoted === "") return `${message}.`
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION")
    return `There is no option ${option}.${message.includes("positional") ? " A text that begins with a dash comes after --." : ""}`
  if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") return `"${quoted}" is not expected here.`
  if (message.includes("does not take")) return `${option} takes no value.`
  if (message.includes("ambiguous"))
    return `${option} needs a value. One that begins with a dash is written ${option}=-….`
  return `${option} needs a value.`
}
