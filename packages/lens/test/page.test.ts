import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { FINDING_KINDS } from "../src/index.js"
import { SHAPES, TAGS } from "../src/segments/reminders/shapes.js"

const path = join(import.meta.dirname, "../../../docs/check.md")

function table(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  const [heading = [], ...rest] = rows
  return [line(heading), line(heading.map(() => "---")), ...rest.map(line)].join("\n")
}

function findings(): string {
  const rows = FINDING_KINDS.map(({ id, severity, meaning, remedy }) => [
    `\`${id}\``,
    severity,
    meaning,
    remedy,
  ])
  return table([["id", "severity", "what it means", "what to do"], ...rows])
}

function kinds(): string {
  const names = [
    ...new Set([
      ...SHAPES.map(({ kind }) => kind),
      ...[...TAGS.values()].filter((kind) => kind !== undefined),
    ]),
  ]
  const rows = names.sort().map((kind) => {
    const harnesses = SHAPES.filter((shape) => shape.kind === kind).map(({ harness }) => harness)
    const tags = [...TAGS].filter(([, named]) => named === kind).map(([tag]) => `\`<${tag}>\``)
    return [`\`${kind}\``, [...new Set(harnesses)].join(", ") || "any", tags.join(", ")]
  })
  return table([["kind", "harness", "tags that tell it"], ...rows])
}

function withSection(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = page.indexOf(open)
  const end = page.indexOf(close)
  if (start < 0 || end < start) throw new Error(`docs/check.md has no ${open} … ${close}`)
  return `${page.slice(0, start)}${open}\n${text}\n${page.slice(end)}`
}

it("docs/check.md lists every finding and every known kind of reminder: `npm run docs` writes it", async () => {
  const page = readFileSync(path, "utf8")
  await expect(withSection(withSection(page, "findings", findings()), "kinds", kinds())).toMatchFileSnapshot(
    path,
  )
})
