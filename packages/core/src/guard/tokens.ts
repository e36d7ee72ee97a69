import { FRAME_TAGS, OWN_TAGS } from "./tags.js"
import { type Node, trieOf } from "./trie.js"

/**
 * The names that make an opening bracket dangerous: Sotto's own tags, and the control tokens of chat templates, which
 * some servers tokenize as the real thing wherever they stand. Tokens of the form "<|…|>" need no list.
 */

/** Dangerous as soon as the name is complete, whatever follows it. A hyphen also stands for an underscore. */
const OPENERS = [
  ...FRAME_TAGS,
  OWN_TAGS,
  "systemreminder",
  "start-of-turn",
  "end-of-turn",
  "function-results",
  "function-calls",
  "begin-of-sentence",
  "beginning-of-sentence",
  "end-of-sentence",
  "end-of-utterance",
  "start-of-image",
  "end-of-image",
  "start-of-role",
  "end-of-role",
  "available-tools",
  "availabletools",
  "tool-call",
  "tool-response",
  "seed:",
]

/** Dangerous if ">" follows: as parts of longer names, or with attributes, they are something else. */
const CLOSED =
  "bos,eos,unk,pad,sop,eop,eot,sot,eod,eoh,eoa,sep,cls,bos-token,eos-token,pad-token,unk-token,mask-token".split(
    ",",
  )

/** Dangerous if a number follows. */
const NUMBERED = ["extra-id-", "reserved-", "special-", "unused", "tokens-unused-", "reserved-special-token-"]

/** In square brackets and capitals. */
const SQUARE = [
  "inst",
  "gmask",
  "smask",
  "available-tools",
  "tool-calls",
  "tool-results",
  "tool-content",
  "system-prompt",
  "model-settings",
  "call-id",
  "img-break",
  "img-end",
  "think",
  "begin-of-document",
]

/** Between "<|" and "|>" with white space inside, where a pipe may also be an operator. */
const SPACED = [
  "imstart,imend,imsep,endoftext,startoftext,beginoftext,endofprompt,eotid,eomid,eot,eom,startheaderid,endheaderid",
  "headerstart,headerend,pythontag,system,user,assistant,tool,start,end,message,channel,return,call,constrain,bos,eos",
  "pad,human,bot,observation,developer,endofturn,beginofsentence,endofsentence,imuser,imassistant,imsystem",
].join()

/** What a name after "<" needs to be dangerous. Names in context: "<<SYS>>", "<human>:" and "<S>[INST]". */
export type Need = "nothing" | "a closing bracket" | "a number" | "sys" | "colon" | "s"

export const ANGLE_NAMES: Node<Need> = trieOf<Need>({
  ...all(OPENERS, "nothing"),
  ...all(CLOSED, "a closing bracket"),
  ...all(NUMBERED, "a number"),
  ...all(["human", "bot"], "colon"),
  sys: "sys",
  s: "s",
})

export const SQUARE_NAMES: Node<"whole" | "a number" | "a tilde"> = trieOf({
  ...all(SQUARE, "whole" as const),
  "control-": "a number" as const,
  e: "a tilde" as const,
})

export const SPACED_NAMES: Node<true> = trieOf(all(SPACED.split(","), true as const))

function all<Kind>(names: readonly string[], kind: Kind): Readonly<Record<string, Kind>> {
  return Object.fromEntries(names.map((name) => [name, kind]))
}
