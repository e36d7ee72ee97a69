import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { filePattern, PatternError } from "../src/platform/patterns/file-pattern.js"
import { namePattern, permissionPattern, starPattern } from "../src/platform/patterns/star-pattern.js"

/** What the patterns mean, as regular expressions: right for short texts, and too slow for long ones. */
const MEANING = {
  permission: (pattern: string, isPath: boolean) =>
    expression(pattern, /\*\*\/|\*+|\?|[\\^$.|+()[\]{}]/g, (token) => {
      if (token === "**/") return isPath ? "(?:.*/)?" : ".*/"
      if (token.startsWith("*")) return ".*"
      return token === "?" ? "." : `\\${token}`
    }),
  name: (pattern: string) =>
    expression(pattern, /[*?.+^${}()|[\]\\]/g, (token) =>
      token === "*" ? "[^/]*" : token === "?" ? "[^/]" : `\\${token}`,
    ),
  star: (pattern: string) =>
    expression(pattern, /[*?.+^${}()|[\]\\]/g, (token) => (token === "*" ? ".*" : `\\${token}`)),
  file: (pattern: string) => {
    const plain = pattern.replace(/^(\.\/)+/, "").replace(/\/$/, "/**")
    let depth = 0
    const source = plain.replace(/\*\*\/|\*+|\?|\[!?\]?[^\]]*\]|\{|\}|,|\\.|./gsu, (token) => {
      if (token === "**/") return "(?:.*/)?"
      if (token.startsWith("**")) return ".*"
      if (token === "*") return "[^/]*"
      if (token === "?") return "[^/]"
      if (token.startsWith("[") && token.length > 2) {
        const negated = /^\[[!^]/.test(token)
        const inner = token.slice(negated ? 2 : 1, -1).replace(/[\\[\]^]/g, "\\$&")
        return negated ? `[^/${inner}]` : `[${inner}]`
      }
      if (token === "{") {
        depth++
        return "(?:"
      }
      if (token === "}" && depth > 0) {
        depth--
        return ")"
      }
      if (token === "," && depth > 0) return "|"
      return (token.length === 2 && token.startsWith("\\") ? token.slice(1) : token).replace(
        /[\\^$.*+?()[\]{}|/]/g,
        "\\$&",
      )
    })
    return new RegExp(`^${plain.includes("/") ? "" : "(?:.*/)?"}${source}$`, "su")
  },
}

function expression(pattern: string, tokens: RegExp, translate: (token: string) => string): RegExp {
  return new RegExp(`^${pattern.replace(tokens, translate)}$`, "su")
}

const patterns = fc.string({
  unit: fc.constantFrom("a", "b", "/", ".", "*", "**", "**/", "?", "-", "(", "😀"),
  maxLength: 8,
})
const globs = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    "/",
    "*",
    "**",
    "**/",
    "?",
    "[",
    "]",
    "!",
    "^",
    "-",
    "{",
    ",",
    "}",
    "\\",
    "[a-b]",
  ),
  maxLength: 10,
})
const texts = fc.string({
  unit: fc.constantFrom("a", "b", "/", ".", "-", "(", "]", ",", "😀", "\n"),
  maxLength: 10,
})
const runs = { seed: 7, numRuns: 5000 }

describe("patterns mean what their regular expressions mean", () => {
  it("for permissions", () => {
    fc.assert(
      fc.property(patterns, texts, fc.boolean(), (pattern, text, isPath) => {
        expect(permissionPattern(pattern, isPath)(text)).toBe(MEANING.permission(pattern, isPath).test(text))
      }),
      runs,
    )
  })

  it("for names in a folder", () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(namePattern(pattern)(text)).toBe(MEANING.name(pattern).test(text))
      }),
      runs,
    )
  })

  it("for the names of tools", () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        expect(starPattern(pattern)(text)).toBe(MEANING.star(pattern).test(text))
      }),
      runs,
    )
  })

  it("for files, and what cannot be read is refused by both", () => {
    const usable = globs.filter((one) => !one.replace(/^(\.\/)+/, "").startsWith("/"))
    fc.assert(
      fc.property(usable, texts, (pattern, text) => {
        let meaning: RegExp | undefined
        try {
          meaning = MEANING.file(pattern)
        } catch {
          expect(() => filePattern(pattern)).toThrow(PatternError)
          return
        }
        expect(filePattern(pattern)(text)).toBe(meaning.test(text))
      }),
      runs,
    )
  })
})

describe("hostile patterns", () => {
  const hostile = `${"*a".repeat(20)}z`
  const name = "a".repeat(10_000)

  it.each([
    ["files", () => filePattern(hostile)],
    ["files, with folders", () => filePattern(`${"**/*a".repeat(20)}z`)],
    ["files, with nested braces", () => filePattern(`${"{a,".repeat(30)}*b${"}".repeat(30)}z`)],
    ["permissions", () => permissionPattern(hostile, true)],
    ["permissions with folders", () => permissionPattern(`${"**/".repeat(20)}z`, true)],
    ["names in a folder", () => namePattern(hostile)],
    ["tools", () => starPattern(hostile)],
  ])("for %s are answered", (_, matcher) => {
    expect(matcher()(name)).toBe(false)
    expect(matcher()(`${"/".repeat(200)}`)).toBe(false)
  })

  it("match in the end where they should", () => {
    expect(filePattern(hostile)(`${name}z`)).toBe(true)
    expect(permissionPattern(`${"**/".repeat(20)}z`, true)(`${"a/".repeat(200)}z`)).toBe(true)
  })
})
