import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./process.mjs"

/** Packages that come along otherwise than as modules of the bundle: in the page of the inspector, and as WebAssembly. */
const BESIDE = ["preact", "tree-sitter-bash"]

/** What a package contains of others beside its own licence, where its files do not say so. */
const CONTAINS = {
  unpdf:
    "Contains pdf.js, Copyright Mozilla Foundation, under the Apache License, Version 2.0:\nhttps://www.apache.org/licenses/LICENSE-2.0",
}

/**
 * Writes the licences of all packages that files of a bundle were taken from. Fails if one of them names no licence:
 * then it must not be bundled.
 */
export function writeNotices(inputs, file) {
  const found = new Map()
  for (const input of inputs) {
    const folder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0]
    if (folder !== undefined) found.set(folder, noticeOf(join(root, folder)))
  }
  for (const name of BESIDE) found.set(`node_modules/${name}`, noticeOf(join(root, "node_modules", name)))
  const notices = [...new Set(found.values())].toSorted()
  const head = "Sotto contains code of the following packages. Their licences are below each name."
  writeFileSync(file, [head, ...notices].join(`\n\n${"-".repeat(80)}\n\n`).concat("\n"))
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8").trim())
  if (license === undefined && texts.length === 0)
    throw new Error(`${name} names no licence: it cannot be bundled.`)
  const more = Object.hasOwn(CONTAINS, name) ? [CONTAINS[name]] : []
  return [`${name} ${version} (${license ?? "see below"})`, ...more, ...texts].join("\n\n")
}
