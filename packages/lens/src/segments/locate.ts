/** Finds where the value at a path stands in a JSON text, in UTF-16 units; undefined if it is not there. */
export function locate(json: string, path: string): JsonSpan | undefined {
  let at = skipSpace(json, 0)
  for (const part of path.split(".")) {
    const inner = enter(json, at, part)
    // A text by itself stands for a list of one: its first element is the text.
    if (inner === undefined)
      return part === "0" && json[at] === '"' ? { start: at, end: skipValue(json, at) } : undefined
    at = inner
  }
  return { start: at, end: skipValue(json, at) }
}

function enter(json: string, at: number, part: string): number | undefined {
  if (json[at] === "[") return element(json, at, Number(part))
  if (json[at] !== "{") return undefined
  let i = skipSpace(json, at + 1)
  while (i < json.length && json[i] !== "}") {
    const end = skipString(json, i)
    const isIt = json.slice(i + 1, end - 1) === part
    i = skipSpace(json, skipSpace(json, end) + 1)
    if (isIt) return i
    i = skipSpace(json, skipValue(json, i))
    if (json[i] === ",") i = skipSpace(json, i + 1)
  }
  return undefined
}

function element(json: string, at: number, index: number): number | undefined {
  let i = skipSpace(json, at + 1)
  for (let n = 0; i < json.length && json[i] !== "]"; n++) {
    if (n === index) return i
    i = skipSpace(json, skipValue(json, i))
    if (json[i] === ",") i = skipSpace(json, i + 1)
  }
  return undefined
}

function skipSpace(json: string, at: number): number {
  let i = at
  while (i < json.length && json.charCodeAt(i) <= 32) i++
  return i
}

function skipString(json: string, at: number): number {
  let i = at + 1
  for (;;) {
    const quote = json.indexOf('"', i)
    if (quote < 0) return json.length
    let slashes = 0
    while (json[quote - 1 - slashes] === "\\") slashes++
    if (slashes % 2 === 0) return quote + 1
    i = quote + 1
  }
}

function skipValue(json: string, at: number): number {
  const first = json[at]
  if (first === '"') return skipString(json, at)
  if (first !== "{" && first !== "[") {
    let i = at
    while (i < json.length && !",]} \n\r\t".includes(json[i] ?? "")) i++
    return i
  }
  let depth = 0
  for (let i = at; i < json.length; ) {
    const one = json[i]
    if (one === '"') {
      i = skipString(json, i)
      continue
    }
    if (one === "{" || one === "[") depth++
    else if (one === "}" || one === "]") depth--
    i++
    if (depth === 0) return i
  }
  return json.length
}

/** A stretch of a JSON text. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

/** One field of an object: the place of its value, and where its name begins. */
export interface Member extends JsonSpan {
  /** As it is written, escapes included. */
  readonly name: string
  readonly from: number
}

/** Finds the fields of the object that begins at a place of a JSON text; none if something else stands there. */
export function membersOf(json: string, at = skipSpace(json, 0)): readonly Member[] {
  if (json[at] !== "{") return []
  const found: Member[] = []
  let i = skipSpace(json, at + 1)
  while (i < json.length && json[i] !== "}") {
    const from = i
    const nameEnd = skipString(json, i)
    const name = json.slice(i + 1, nameEnd - 1)
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const end = skipValue(json, start)
    found.push({ name, from, start, end })
    i = skipSpace(json, end)
    if (json[i] === ",") i = skipSpace(json, i + 1)
  }
  return found
}

/** Finds the elements of the list that begins at a place of a JSON text; none if something else stands there. */
export function elementsOf(json: string, at = skipSpace(json, 0)): readonly JsonSpan[] {
  if (json[at] !== "[") return []
  const found: JsonSpan[] = []
  let i = skipSpace(json, at + 1)
  while (i < json.length && json[i] !== "]") {
    const end = skipValue(json, i)
    found.push({ start: i, end })
    i = skipSpace(json, end)
    if (json[i] === ",") i = skipSpace(json, i + 1)
  }
  return found
}

/** Finds where two JSON texts begin to differ, white space between tokens aside: an index into the first. */
export function firstDifference(raw: string, other: string): number {
  let i = 0
  let j = 0
  let inString = false
  while (i < raw.length && j < other.length) {
    if (!inString) {
      const a = skipSpace(raw, i)
      const b = skipSpace(other, j)
      if (a !== i || b !== j) {
        i = a
        j = b
        continue
      }
    }
    const one = raw.charCodeAt(i)
    if (one !== other.charCodeAt(j)) return i
    if (inString && one === 92) {
      if (raw.charCodeAt(i + 1) !== other.charCodeAt(j + 1)) return i
      i++
      j++
    } else if (one === 34) inString = !inString
    i++
    j++
  }
  return i
}

/** Counts the bytes that a text takes on the wire. */
export function utf8Length(text: string, end = text.length): number {
  let bytes = end
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    // Each half of a surrogate pair stands for two of its four bytes.
    else bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2
  }
  return bytes
}
