import { type Described, described, ownOptions } from "../usage.js"

export const SHELLS = ["bash", "zsh", "fish"] as const
type Shell = (typeof SHELLS)[number]

export function isShell(text: string): text is Shell {
  return SHELLS.some((shell) => shell === text)
}

/** A script that completes the commands and options that the help describes; elsewhere the shell completes files. */
export function completionScript(shell: Shell): string {
  const commands = described()
  switch (shell) {
    case "bash":
      return bash(commands)
    case "zsh":
      return zsh(commands)
    case "fish":
      return fish(commands)
  }
}

function bash(commands: readonly Described[]): string {
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

function zsh(commands: readonly Described[]): string {
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

function fish(commands: readonly Described[]): string {
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

/** One word for a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
