import { dynamic, type Session, unavailable } from "@sotto/core"
import type { Case, Drive } from "../case.js"
import { compact, inTurn, note, steps } from "../walker.js"

const edited = (before: string, after: string, more = {}) => ({ path: "a.ts", before, after, ...more })

const problem = (line: number) => ({
  line,
  severity: "error",
  message: `Cannot find name 'x${line}'.`,
  source: "ts",
})
const report = (...lines: readonly number[]) =>
  note("diagnostics", { path: "a.ts", items: lines.map(problem) })

const select = (from: number, text = `line ${from}`) => {
  return (session: Session) => session.observe("ide:selection", { file: "a.ts", from, to: from + 1, text })
}
const open = (path: unknown): Drive => {
  return (session) => session.observe(dynamic("ide:file"), path)
}

export const files: readonly Case[] = [
  {
    kind: "compact_file_reference",
    trust: "harness",
    setup: steps(1),
    drive: inTurn(compact, note("file.not_restored", { path: "big.ts" })),
    says: "Read before the conversation was compacted",
    nearly: { "a compaction that left no file out": { drive: compact } },
    again: { row: { outcome: "nothing" } },
    together: {
      drive: note("file.not_restored", { path: "big.ts" }, { path: "huge.ts" }, { path: "big.ts" }),
      says: "- big.ts\n- huge.ts",
    },
    cancels: note("file.not_restored", {}),
    afterCompaction: {},
    variants: {
      "more than are listed": {
        drive: note("file.not_restored", ...Array.from({ length: 21 }, (_, i) => ({ path: `${i}.ts` }))),
        says: "[and 1 more]",
      },
    },
  },
  {
    kind: "edited_text_file",
    trust: "untrusted",
    setup: steps(1),
    drive: note("file.edited", edited("old", "new", { actor: "ann" })),
    says: "a.ts was changed by ann since you last read it.",
    nearly: { "the content is what it was": { drive: note("file.edited", edited("old", "old")) } },
    again: { row: { outcome: "nothing" } },
    together: {
      drive: note("file.edited", edited("v1", "v2"), edited("v2", "v3"), edited("v3", "v4")),
      says: "-v1\n+v4",
      not: "v2",
    },
    cancels: note("file.edited", edited("old", "new"), edited("new", "old")),
    afterCompaction: {},
    variants: {
      "by nobody known, without contents": {
        drive: note("file.edited", { path: "a.ts" }),
        says: "a.ts was changed by someone else since you last read it. Read it again",
      },
      "by some who are known and some who are not": {
        drive: note("file.edited", edited("1", "2", { actor: "ann" }), edited("2", "3")),
        says: "by ann and someone else",
      },
      deleted: {
        drive: note("file.edited", edited("old", "new"), { path: "a.ts", deleted: true }),
        says: "a.ts was deleted by someone else since you last read it.",
      },
      "there again, as it was": {
        drive: note("file.edited", edited("old", "old", { returned: true, actor: "ann" })),
        says: "a.ts is there again, put back by ann. It is as you last read it.",
      },
      "there again, as something else": {
        drive: note("file.edited", edited("old", "new", { returned: true })),
        says: "-old\n+new",
      },
      "deleted and put back otherwise, between two boundaries": {
        drive: note("file.edited", { path: "a.ts", deleted: true, before: "old" }, edited("old", "new")),
        says: "a.ts was changed by someone else since you last read it.",
      },
      "more than are worth a difference each": {
        drive: note("files.edited", {
          paths: Array.from({ length: 21 }, (_, i) => `${i}.ts`),
          actor: "the command you ran",
        }),
        says: '21 files were changed by the command you ran since you last read them. Read what is needed again:\n<reminder-body source="names of files">\n- 0.ts',
      },
      "hundreds, each of them named": {
        drive: note("files.edited", { paths: Array.from({ length: 500 }, (_, i) => `src/${i}.ts`) }),
        says: Array.from({ length: 500 }, (_, i) => `- src/${i}.ts`).join("\n"),
      },
      "so many that a line each would not fit": {
        drive: note("files.edited", {
          paths: Array.from({ length: 2_000 }, (_, i) => `src/long/way/${i}.ts`),
        }),
        says: `- src/long/way/: ${Array.from({ length: 2_000 }, (_, i) => `${i}.ts`).join(", ")}`,
      },
      "over the diff budget: the path only": {
        drive: note("file.edited", edited("a\n".repeat(90), `${"b".repeat(80)}\n`.repeat(90))),
        says: "Read it again before relying on it.",
      },
    },
  },
  {
    kind: "diagnostics",
    trust: "untrusted",
    setup: inTurn(report(1), steps(1)),
    drive: report(1, 2),
    says: "The language server reports 1 new problem in a.ts",
    nearly: {
      "the same problems as before": { drive: report(1) },
      "fewer than before": { drive: report() },
      "the same problem on another line": {
        drive: note("diagnostics", { path: "a.ts", items: [{ ...problem(1), line: 9 }] }),
      },
    },
    again: { drive: report(1, 2), row: { outcome: "nothing" } },
    together: { drive: inTurn(report(1, 2), report(1, 3)), says: "Cannot find name 'x3'", not: "x2" },
    cancels: inTurn(report(1, 2), report(1)),
    afterCompaction: { drive: report(1, 2), says: "2 new problems" },
    variants: {
      "more than are shown": {
        drive: report(...Array.from({ length: 30 }, (_, i) => i + 10)),
        says: "[and 10 more]",
      },
      "one more of a problem that was told: the place that is new": {
        drive: note("diagnostics", { path: "a.ts", items: [problem(1), { ...problem(1), line: 7 }] }),
        says: '1 new problem in a.ts:\n<new-diagnostics source="a.ts">\nline 7:',
      },
    },
  },
  {
    kind: "selected_lines_in_ide",
    trust: "untrusted",
    setup: inTurn(select(1), steps(1)),
    drive: select(7),
    says: "The user selected lines 7 to 8 of a.ts in the editor:",
    nearly: {
      "the same lines": { drive: select(1) },
      "nothing in them": { drive: select(7, "") },
      "the editor cannot be asked": { drive: (session) => session.observe("ide:selection", unavailable()) },
    },
    again: { drive: select(7), row: { outcome: "nothing" } },
    together: { drive: inTurn(select(7), select(9)), says: "lines 9 to 10", not: "lines 7 to 8" },
    cancels: inTurn(select(7), select(1)),
    afterCompaction: {},
    variants: {
      "a long one": { drive: select(7, "x".repeat(2_001)), says: "[cut: 2000 of 2001 characters are shown]" },
      "without line numbers": {
        drive: (session) => session.observe(dynamic("ide:selection"), { file: "b.ts", text: "x" }),
        says: "The user selected this in b.ts, in the editor:",
      },
    },
  },
  {
    kind: "opened_file_in_ide",
    trust: "untrusted",
    setup: inTurn(open("a.ts"), steps(1)),
    drive: open("b.ts"),
    says: "The user opened b.ts in the editor.",
    nearly: {
      "the same file": { drive: open("a.ts") },
      "something that is no file": { drive: open(7) },
      "the editor cannot be asked": { drive: open(unavailable()) },
    },
    again: { drive: open("b.ts"), row: { outcome: "nothing" } },
    together: { drive: inTurn(open("b.ts"), open("c.ts")), says: "opened c.ts", not: "b.ts" },
    cancels: inTurn(open("b.ts"), open("a.ts")),
    afterCompaction: {},
  },
]
