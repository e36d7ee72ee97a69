/**
 * What a colour is for. Views name the purpose, and a theme says which colour that is: one of the terminal's own
 * ("red"), or "#rrggbb".
 */
export const ROLES = [
  "error",
  "success",
  "attention",
  "added",
  "removed",
  "subagent",
  "choice",
  "heading",
  "code",
  "link",
  "syntax-keyword",
  "syntax-type",
  "syntax-name",
  "syntax-string",
  "syntax-number",
] as const

export type Role = (typeof ROLES)[number]

export type Theme = Readonly<Record<Role, string>>

/** The terminal's own colours: they suit its background, whatever that is. */
export const TERMINAL_THEME: Theme = {
  error: "red",
  success: "green",
  attention: "yellow",
  added: "green",
  removed: "red",
  subagent: "magenta",
  choice: "cyan",
  heading: "magenta",
  code: "cyan",
  link: "blue",
  "syntax-keyword": "magenta",
  "syntax-type": "cyan",
  "syntax-name": "blue",
  "syntax-string": "green",
  "syntax-number": "yellow",
}

/** The colour behind a name. A name that is no purpose is a colour already, such as an agent's own. */
export function colourIn(theme: Theme, name: string): string {
  return Object.hasOwn(theme, name) ? theme[name as Role] : name
}
