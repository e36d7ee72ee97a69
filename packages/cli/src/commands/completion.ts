import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandDescription, ownOptions, type Subcommand } from "./subcommand.js"

export const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

export const subcommand: Subcommand = {
  help: `sotto completion SHELL: prints a script that completes commands and options in bash, zsh or fish

  bash   add to ~/.bashrc:                   eval "$(sotto completion bash)"
  zsh    add to ~/.zshrc, after compinit:    eval "$(sotto completion zsh)"
  fish   save once:                          sotto completion fish > ~/.config/fish/completions/sotto.fish
`,
  options: {},
  run,
}

/** Prints a script with which a shell completes commands and options of `sotto`. */
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

/** Makes a script that completes the commands and options that the help describes. Elsewhere the shell completes files. */
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
  return `# Completions of sotto for bash.
_sotto() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" = 1 ]; then
    words='${[...commands.map(({ name }) => name), ...ownOptions()].join(" ")}'
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  [[ $current == -* ]] || return
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
  const listed = commands.map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  )
  const cases = commands.map(
    ({ name, options }) => `    ${name}) options=(${[...options, "--help"].join(" ")}) ;;`,
  )
  return `#compdef sotto
# Completions of sotto for zsh.
_sotto() {
  local -a commands options
  commands=(
${listed.join("\n")}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join("\n")}
    *) options=(${ownOptions().join(" ")}) ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then compadd -- $options; else _files; fi
}
compdef _sotto sotto
`
}

function fish(commands: readonly CommandDescription[]): string {
  const own = ownOptions().map((option) => `complete -c sotto -n __fish_use_subcommand -l ${option.slice(2)}`)
  const listed = commands.map(
    ({ name, summary }) => `complete -c sotto -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
  )
  const options = commands.flatMap(({ name, options }) =>
    options.map(
      (option) => `complete -c sotto -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  )
  return ["# Completions of sotto for fish.", ...own, ...listed, ...options, ""].join("\n")
}

/** Quotes a text, so that a shell takes it for one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
