/**
 * Reads where a `.git` file says that the repository is, as in worktrees and submodules. Undefined for a text that is
 * not one line "gitdir: PATH" as git writes it. A caller that judges a command by it must be sure to read what git
 * reads, so a carriage return or a second line counts as doubt.
 */
export function gitPointer(text: string): string | undefined {
  return /^gitdir: ([^\n\r\0]+)\n?$/.exec(text)?.[1]
}
