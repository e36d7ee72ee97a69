import { ToolError } from "./tool.js"

/**
 * Tells which relative paths a glob pattern names: `*` and `?` within a name, `**` across folders, `[abc]`, `{a,b}`.
 * A pattern without a slash is for names at any depth. Our own, because ripgrep's `--glob` overrides .gitignore.
 */
export function filePattern(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^(\.\/)+/, "")
  if (plain.startsWith("/") || plain.split("/").includes(".."))
    throw new ToolError(`The pattern "${pattern}" leaves the directory. Give the directory in \`path\`.`)
  const anywhere = plain.includes("/") ? "" : "(?:.*/)?"
  try {
    const expression = new RegExp(`^${anywhere}${translated(plain.replace(/\/$/, "/**"))}$`, "su")
    return (path) => expression.test(path)
  } catch {
    throw new ToolError(`"${pattern}" is no glob pattern: check its brackets.`)
  }
}

/** Hidden files are wanted if the pattern names one: ".github/**", "**\/.env". */
export function namesHidden(pattern: string): boolean {
  return /(^|[/{,])\.[^./]/.test(pattern)
}

const TOKENS = /\*\*\/|\*+|\?|\[!?\]?[^\]]*\]|\{|\}|,|\\.|./gsu

function translated(pattern: string): string {
  let depth = 0
  return pattern.replace(TOKENS, (token) => {
    if (token === "**/") return "(?:.*/)?"
    if (token.startsWith("**")) return ".*"
    if (token === "*") return "[^/]*"
    if (token === "?") return "[^/]"
    if (token.startsWith("[") && token.length > 2) return characterClass(token)
    if (token === "{") {
      depth++
      return "(?:"
    }
    if (token === "}" && depth > 0) {
      depth--
      return ")"
    }
    if (token === "," && depth > 0) return "|"
    return escaped(token.length === 2 && token.startsWith("\\") ? token.slice(1) : token)
  })
}

function characterClass(token: string): string {
  const negated = token.startsWith("[!") || token.startsWith("[^")
  const inner = token.slice(negated ? 2 : 1, -1).replace(/[\\[\]^&]/g, "\\$&")
  return negated ? `[^/${inner}]` : `[${inner}]`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}
