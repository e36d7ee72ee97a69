/**
 * What a colour is for. Views name the purpose, and a theme says which colour that is: one of the terminal's own
 * ("red"), or "#rrggbb".
 */
const ROLES = [
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

/** Finds the colour behind a name. A name that does not name a purpose is a colour already, such as an agent's own. */
export function colourIn(theme: Theme, name: string): string {
  return Object.hasOwn(theme, name) ? theme[name as Role] : name
}

/** For dark backgrounds, in colours that are told apart well. */
const DARK: Theme = {
  error: "#ff7b72",
  success: "#7ee787",
  attention: "#e3b341",
  added: "#7ee787",
  removed: "#ff7b72",
  subagent: "#d2a8ff",
  choice: "#79c0ff",
  heading: "#d2a8ff",
  code: "#a5d6ff",
  link: "#79c0ff",
  "syntax-keyword": "#ff7b72",
  "syntax-type": "#ffa657",
  "syntax-name": "#d2a8ff",
  "syntax-string": "#a5d6ff",
  "syntax-number": "#79c0ff",
}

/** For light backgrounds: dark enough to be read on white. */
const LIGHT: Theme = {
  error: "#b31d28",
  success: "#176f2c",
  attention: "#8a5a00",
  added: "#176f2c",
  removed: "#b31d28",
  subagent: "#6f42c1",
  choice: "#005cc5",
  heading: "#6f42c1",
  code: "#0a4f8f",
  link: "#005cc5",
  "syntax-keyword": "#b31d28",
  "syntax-type": "#9a4b00",
  "syntax-name": "#6f42c1",
  "syntax-string": "#032f62",
  "syntax-number": "#005cc5",
}

/** Blue and orange in place of green and red, for eyes that do not tell those apart. */
const BLUE_ORANGE: Theme = {
  ...TERMINAL_THEME,
  success: "#4c9be8",
  added: "#4c9be8",
  error: "#e08a2c",
  removed: "#e08a2c",
  attention: "#e0c02c",
  "syntax-string": "#4c9be8",
}

export const BUILT_IN: Readonly<Record<string, Theme>> = {
  terminal: TERMINAL_THEME,
  dark: DARK,
  light: LIGHT,
  "blue-orange": BLUE_ORANGE,
}

/**
 * Chooses the theme for "auto" by the background; where that is unknown, the terminal's own colours, which suit any.
 */
export function themeFor(background: "dark" | "light" | undefined): Theme {
  return background === undefined ? TERMINAL_THEME : background === "dark" ? DARK : LIGHT
}

export interface ReadTheme {
  readonly theme: Theme
  /** What is wrong with it, for people. Everything else of it counts. */
  readonly problems: readonly string[]
}

/** Reads a theme from a file: colours by what they are for, and `base`, the built-in theme that has the others. */
export function themeFrom(value: unknown, file: string): ReadTheme {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return {
      theme: TERMINAL_THEME,
      problems: [`${file}: a theme is an object, such as {"error": "#ff0000"}.`],
    }
  const { base = "terminal", $schema: _, ...colours } = value as Readonly<Record<string, unknown>>
  const problems: string[] = []
  const known = typeof base === "string" ? BUILT_IN[base] : undefined
  if (known === undefined)
    problems.push(`${file}: base is one of ${Object.keys(BUILT_IN).join(", ")}, not ${JSON.stringify(base)}.`)
  const own = Object.entries(colours).filter(([role, colour]) => {
    if (!isRole(role))
      problems.push(`${file}: nothing is drawn as ${JSON.stringify(role)}. There are: ${ROLES.join(", ")}.`)
    else if (!isColour(colour))
      problems.push(
        `${file}: ${role} is a colour such as "#ff8800" or "cyan", not ${JSON.stringify(colour)}.`,
      )
    else return true
    return false
  })
  return { theme: { ...(known ?? TERMINAL_THEME), ...Object.fromEntries(own) }, problems }
}

function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name)
}

function isColour(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^(#[0-9a-f]{6}|black|red|green|yellow|blue|magenta|cyan|white|gr[ae]y)$/i.test(value)
  )
}

/**
 * Tells whether a background is dark, by what a terminal says of its colour (`rgb:ffff/ffff/ffff`, `#ffffff`);
 * undefined if that does not name a colour.
 */
export function shadeOf(colour: string): "dark" | "light" | undefined {
  const parts = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(colour)?.slice(1, 4)
  if (parts === undefined) return undefined
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => Number.parseInt(part, 16) / (16 ** part.length - 1),
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5 ? "dark" : "light"
}

/**
 * Tells whether the background is dark by the variable that some terminals set: foreground and background as numbers of
 * the sixteen colours.
 */
export function shadeIn(env: Readonly<Record<string, string | undefined>>): "dark" | "light" | undefined {
  const background = /;(\d+)$/.exec(env.COLORFGBG ?? "")?.[1]
  if (background === undefined) return undefined
  return background === "7" || background === "15" ? "light" : "dark"
}
