import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** The least that has to be there: the pages that every reader looks for, and the index that lists them. */
const LEAST: Readonly<Record<string, string>> = {
  "README.md": "# Home\n",
  "SECURITY.md": "# Security\n",
  "CHANGELOG.md": "# Changelog\n",
  "ARCHITECTURE.md": "# Architecture\n",
  "CONTRIBUTING.md": "# Contributing\n",
}

const LISTED = `# Documentation

## Start

- [Home](../README.md)
- [Security](../SECURITY.md)
- [Changelog](../CHANGELOG.md)
- [Architecture](../ARCHITECTURE.md)
- [Contributing](../CONTRIBUTING.md)
`

/** A repository on the disk, gone after the test. `lines` are more lines of its index. */
export function repositoryWith(
  files: Readonly<Record<string, string>>,
  lines: readonly string[] = [],
): string {
  const root = temporary()
  const index = `${LISTED}${lines.map((line) => `${line}\n`).join("")}`
  for (const [path, text] of Object.entries({ ...LEAST, "docs/README.md": index, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "sotto-site-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
