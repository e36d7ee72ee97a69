/**
 * What is looked for before a command counts as one that reads. Each check stands for a family of ways to mislead the
 * judgement. All of them always apply; the tests take one out to show that the fuzzer then finds its family.
 */
export const CHECKS = [
  "characters",
  "here-documents",
  "expressions",
  "expansions",
  "quoting",
  "comments",
  "tests",
  "variables",
  "builtins",
  "devices",
  "programs",
  "git options",
  "git repository",
] as const

export type Check = (typeof CHECKS)[number]
export type Checks = ReadonlySet<Check>

export const EVERY_CHECK: Checks = new Set(CHECKS)
