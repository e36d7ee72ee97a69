import { FRAME_TAGS } from "../../src/guard/tags.js"

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
