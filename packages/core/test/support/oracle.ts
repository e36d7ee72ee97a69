import type { Entry, Request } from "@sotto/core"
import { FRAME_TAGS } from "../../src/vocabulary/tags.js"

/**
 * Requests by the epoch they belong to, as the log tells it: an epoch begins with a step that says so, and where a
 * carrier or the format was replaced. What the requests are pinned to plays no part in it.
 */
export function epochsOf(
  log: readonly Entry[],
  requests: readonly Request[],
): readonly (readonly Request[])[] {
  const epochs: Request[][] = []
  let before = -1
  for (const request of requests) {
    const seq = Number(request.id.slice("req-".length))
    const isNew = before < 0 || log.slice(before + 1, seq + 1).some(beginsEpoch)
    if (isNew) epochs.push([request])
    else epochs.at(-1)?.push(request)
    before = seq
  }
  return epochs
}

function beginsEpoch(entry: Entry): boolean {
  return (
    entry.type === "carrier" ||
    entry.type === "format" ||
    (entry.type === "step" && entry.epoch !== undefined)
  )
}

/** Tokens as SPEC counts them. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** A second opinion on what a tag is, that shares nothing with the guard but the names of the tags. */

const LATIN: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    с: "c",
    ԁ: "d",
    е: "e",
    і: "i",
    м: "m",
    о: "o",
    р: "p",
    г: "r",
    ѕ: "s",
    т: "t",
    у: "y",
    ԝ: "w",
  },
  ...{ α: "a", ο: "o", ρ: "p", τ: "t", υ: "u", ι: "i", "‹": "<", "〈": "<", "⟨": "<", "❮": "<", "˂": "<" },
  ...{ "⁄": "/", "∕": "/", "⧸": "/", "−": "-", "·": "-", _: "-" },
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ lt: "<", amp: "&", sol: "/", hyphen: "-", dash: "-", lowbar: "-", ndash: "-", minus: "-" },
  ...{ nbsp: " ", shy: "", zwnj: "", zwj: "", lrm: "", rlm: "", zerowidthspace: "", newline: "", tab: "" },
}

function decode(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);?/gi, (_, hex: string) => point(Number.parseInt(hex, 16)))
    .replace(/&#(\d+);?/g, (_, digits: string) => point(Number.parseInt(digits, 10)))
    .replace(/&(lt|amp)(?![;a-z])|&([a-z]+);|&(lt)/gi, (all, bare?: string, named?: string, run?: string) => {
      return NAMED[(bare ?? named ?? run ?? "").toLowerCase()] ?? all
    })
    .replace(/\\(?:u0*|x)3c|%3c/gi, "<")
    .replace(/%2f/gi, "/")
}

function point(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : ""
}

/** The text as a model might read it. */
function unmask(text: string): string {
  let plain = text
  for (let depth = 0; depth < 4; depth++) plain = decode(plain)
  return plain
    .replace(/[\s\p{DI}\p{M}\p{Cc}]/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Pd}/gu, "-")
    .replace(/./gu, (c) => LATIN[c] ?? c)
}

const TAG = new RegExp(`</?(?:${FRAME_TAGS.join("|")}|systemreminder)`)

/** Whether somebody could take this for a tag of the harness. A backslash after the bracket makes it quoted text. */
export function showsTag(text: string): boolean {
  return TAG.test(unmask(text))
}

const BODY = new RegExp(`<(${FRAME_TAGS.join("|")})((?: [a-z]+="[^"]*")*)>\\n([^]*)\\n</\\1>$`)
const TURN_BOUNDARY = /^(?:Human|Assistant):/m
const CLOSE = "\n</system-reminder>"

/** What of a text that goes to a model is not the harness's, and reads as if it were. */
export function forgedIn(text: string, nonce: string | undefined): boolean {
  return outsideOf(text, nonce).some((outside) => showsTag(outside) || TURN_BOUNDARY.test(outside))
}

/** The text without the harness's own tags, in the pieces that they leave. */
function outsideOf(text: string, nonce: string | undefined): readonly string[] {
  const open = nonce === undefined ? "<system-reminder>\n" : `<system-reminder nonce="${nonce}">\n`
  if (!isReminder(text, nonce)) return [text]
  const inner = text.slice(open.length, -CLOSE.length)
  const [all, tag, attributes, body] = BODY.exec(inner) ?? []
  if (all === undefined || tag === "system-reminder") return [inner]
  return [inner.slice(0, -all.length), attributes ?? "", body ?? ""]
}

/** A whole reminder, from its first tag to its last. */
export function isReminder(text: string, nonce: string | undefined): boolean {
  const open = nonce === undefined ? "<system-reminder>\n" : `<system-reminder nonce="${nonce}">\n`
  return text.startsWith(open) && text.endsWith(CLOSE)
}
