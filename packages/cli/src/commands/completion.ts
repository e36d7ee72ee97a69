import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandDescription, ownOptions, type Subcommand } from "./subcommand.js"

export const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

/** Where values come from: a source that Sotto asks, or words that are always the same. */
export type ValueSource =
  | "sessions"
  | "models"
  | "levels"
  | "agents"
  | "servers"
  | "topics"
  | readonly string[]

/** What the value of an option may be, in whichever command. */
export const OF_OPTIONS: Readonly<Record<string, ValueSource>> = {
  "--model": "models",
  "-m": "models",
  "--think": "levels",
  "--session": "sessions",
  "--agent": "agents",
}

/** What an argument may be, by the words before it. */
export const OF_ARGUMENTS: Readonly<Record<string, ValueSource>> = {
  show: "sessions",
  asides: "sessions",
  fork: "sessions",
  export: "sessions",
  inspect: "sessions",
  sessions: ["delete", "repair", "archive"],
  "sessions delete": "sessions",
  "sessions repair": "sessions",
  store: ["status", "migrate", "copy", "grants", "verify"],
  trust: ["list", "add", "remove"],
  mcp: ["add", "list", "show", "remove", "login", "logout"],
  "mcp show": "servers",
  "mcp remove": "servers",
  "mcp login": "servers",
  "mcp logout": "servers",
  models: "models",
  completion: ["bash", "zsh", "fish"],
  help: "topics",
}

/** Options whose values Sotto knows. For any other the shell completes files. */
const VALUED_OPTIONS = Object.keys(OF_OPTIONS)
/** Commands whose arguments Sotto knows. */
const VALUED_COMMANDS = [...new Set(Object.keys(OF_ARGUMENTS).map((key) => key.split(" ")[0] ?? ""))]

export const subcommand: Subcommand = {
  help: `sotto completion SHELL: prints a script that completes commands, options and their values in bash, zsh or fish

  bash   add to ~/.bashrc:                   eval "$(sotto completion bash)"
  zsh    add to ~/.zshrc, after compinit:    eval "$(sotto completion zsh)"
  fish   save once:                          sotto completion fish > ~/.config/fish/completions/sotto.fish

Values are ids of sessions, models, thinking levels, agents and MCP servers. Only those that are safe in a command line are
offered. The script asks Sotto for them; another store than yours counts if it is named by --store or SOTTO_STORE.
`,
  options: {},
  run,
}

/** Prints a script with which a shell completes command lines of `sotto`. */
async function run(
  args: readonly string[],
  describeAll: () => Promise<readonly CommandDescription[]>,
): Promise<number> {
  const [shell, ...more] = args
  if (shell === undefined || more.length > 0 || !isShell(shell))
    throw new UsageError(`Which shell? One of ${SHELLS.join(", ")}. For example: sotto completion bash.`)
  out.print(completionScript(shell, await describeAll()))
  return EXIT.done
}

function isShell(text: string): text is Shell {
  return SHELLS.some((shell) => shell === text)
}

/**
 * Makes a script that completes the commands and options that the help describes, and asks Sotto for values. Elsewhere the
 * shell completes files. What Sotto prints is put into the line and never evaluated.
 */
export function completionScript(shell: Shell, commands: readonly CommandDescription[]): string {
  switch (shell) {
    case "bash":
      return bash(commands)
    case "zsh":
      return zsh(commands)
    case "fish":
      return fish(commands)
  }
}

function bash(commands: readonly CommandDescription[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words='${[...options, "--help"].join(" ")}' ;;`,
  )
  // Bash splits --model=NAME at the sign and names at their colons, and replaces only what follows the last of them.
  return `# Completions of sotto for bash.
_sotto_values() {
  local typed=\${line[\${#line[@]}-1]} value about
  while IFS=$'\\t' read -r value about; do
    COMPREPLY+=("\${value#"\${typed%"\${typed##*[:=]}"}"}")
  done < <(command sotto completion --values -- "\${line[@]}" 2>/dev/null)
}
_sotto() {
  local line=() last='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word == [:=] || $last == [:=] ]]; then line[\${#line[@]}-1]+=$word; else line+=("$word"); fi
    last=$word
  done
  local count=\${#line[@]} current=\${line[\${#line[@]}-1]} before=''
  if [[ $count -gt 1 ]]; then before=\${line[count-2]}; fi
  if [[ $current == --*=* ]]; then before=\${current%%=*}; fi
  COMPREPLY=()
  case $before in
    ${VALUED_OPTIONS.join("|")}) _sotto_values; return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    words='${[...commands.map(({ name }) => name), "help", ...ownOptions()].join(" ")}'
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  if [[ $current != -* ]]; then
    case \${COMP_WORDS[1]} in
      ${VALUED_COMMANDS.join("|")}) _sotto_values ;;
    esac
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
    *) words='${ownOptions().join(" ")}' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sotto sotto
`
}

function zsh(commands: readonly CommandDescription[]): string {
  const listed = [...commands, { name: "help", summary: "more about a command or a topic" }].map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  )
  const cases = commands.map(
    ({ name, options }) => `    ${name}) options=(${[...options, "--help"].join(" ")}) ;;`,
  )
  return `#compdef sotto
# Completions of sotto for zsh.
_sotto_values() {
  local -a values abouts
  local line
  while IFS= read -r line; do
    values+=("\${line%%$'\\t'*}")
    abouts+=("\${line/$'\\t'/  }")
  done < <(command sotto completion --values -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( $#values )); then compadd -l -d abouts -a values; else _files; fi
}
_sotto() {
  local -a commands options
  commands=(
${listed.join("\n")}
  )
  case $words[CURRENT-1] in
    ${VALUED_OPTIONS.join("|")}) _sotto_values; return ;;
  esac
  case $PREFIX in
    ${VALUED_OPTIONS.map((option) => `${option}=*`).join("|")}) _sotto_values; return ;;
  esac
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join("\n")}
    *) options=(${ownOptions().join(" ")}) ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then compadd -- $options; return; fi
  case $words[2] in
    ${VALUED_COMMANDS.join("|")}) _sotto_values ;;
    *) _files ;;
  esac
}
compdef _sotto sotto
`
}

function fish(commands: readonly CommandDescription[]): string {
  const option = (name: string) => {
    const values = VALUED_OPTIONS.includes(name) ? " -x -a '(__sotto_values)'" : ""
    return `-l ${name.slice(2)}${name === "--model" ? " -s m" : ""}${values}`
  }
  const listed = [...commands, { name: "help", summary: "more about a command or a topic" }].map(
    ({ name, summary }) => `complete -c sotto -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  )
  return [
    "# Completions of sotto for fish.",
    "function __sotto_values",
    "  set -l words (commandline -opc)",
    "  set -e words[1]",
    "  command sotto completion --values -- $words (commandline -ct) 2>/dev/null",
    "end",
    ...ownOptions().map((name) => `complete -c sotto -n __fish_use_subcommand ${option(name)}`),
    ...listed,
    ...commands.flatMap(({ name, options }) =>
      options.map((one) => `complete -c sotto -n '__fish_seen_subcommand_from ${name}' ${option(one)}`),
    ),
    `complete -c sotto -n '__fish_seen_subcommand_from ${VALUED_COMMANDS.join(" ")}' -a '(__sotto_values)'`,
    "",
  ].join("\n")
}

/** Quotes a text, so that a shell takes it for one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
