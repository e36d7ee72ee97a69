/**
 * Where a `.git` file says that the repository is, as in worktrees and submodules. Undefined for a text that is not one
 * line "gitdir: PATH".
 */
export function gitPointer(text: string): string | undefined {
  return /^gitdir: ([^\n\r\0]+)[\r\n]*$/.exec(text)?.[1]
}
