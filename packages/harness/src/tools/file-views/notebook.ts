import { stripVTControlCharacters } from "node:util"
import { startOf } from "../../platform/text/text.js"

const LONGEST_OUTPUT = 4000

/** A notebook's cells with their outputs; undefined if this is none, so that it is shown as it stands. */
export function notebookText(source: string): string | undefined {
  let notebook: unknown
  try {
    notebook = JSON.parse(source)
  } catch {
    return undefined
  }
  const cells = field(notebook, "cells")
  return Array.isArray(cells) ? cells.map(cellText).join("\n\n") : undefined
}

function cellText(cell: unknown, index: number): string {
  const kind = String(field(cell, "cell_type") ?? "raw")
  const id = field(cell, "id")
  const head = `# Cell ${index + 1} (${kind}${typeof id === "string" ? `, id ${id}` : ""})`
  const outputs = field(cell, "outputs")
  const shown = Array.isArray(outputs) ? outputs.map(outputText).filter((text) => text !== "") : []
  return [head, joined(field(cell, "source")), ...shown.map((text) => `# Output\n${text}`)].join("\n")
}

function outputText(output: unknown): string {
  const kind = field(output, "output_type")
  if (kind === "stream") return capped(joined(field(output, "text")))
  if (kind === "error") {
    const trace = field(output, "traceback")
    const lines = Array.isArray(trace) ? trace.join("\n") : ""
    return capped(`${field(output, "ename")}: ${field(output, "evalue")}\n${stripVTControlCharacters(lines)}`)
  }
  const data = field(output, "data")
  const text = field(data, "text/plain")
  const others =
    data && typeof data === "object" ? Object.keys(data).filter((type) => type !== "text/plain") : []
  const notes = others.map((type) => `[${type} is not shown]`)
  return [...(text === undefined ? [] : [capped(joined(text))]), ...notes].join("\n")
}

function capped(text: string): string {
  if (text.length <= LONGEST_OUTPUT) return text.trimEnd()
  return `${startOf(text, LONGEST_OUTPUT)}\n[${text.length - LONGEST_OUTPUT} more characters of this output are not shown]`
}

/** Notebooks keep a text as one string or as its lines. */
function joined(text: unknown): string {
  return Array.isArray(text) ? text.join("") : typeof text === "string" ? text : ""
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" ? Reflect.get(value, name) : undefined
}
