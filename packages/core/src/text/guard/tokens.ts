import { FRAME_TAGS, OWN_TAGS } from "../../vocabulary/tags.js"
import { type TrieNode, trieOf } from "./trie.js"

/**
 * The names that make an opening bracket dangerous: Sotto's own tags, and the control tokens of chat templates, which
 * some servers tokenize as the real thing wherever they stand. Tokens of the form "<|…|>", "<|…>" and "<…|>" need no list.
 */

/** Dangerous as soon as the name is complete, whatever follows it. A hyphen also stands for an underscore. */
const OPENERS = [
  ...FRAME_TAGS,
  OWN_TAGS,
  "systemreminder,start-of-turn,end-of-turn,start-function-,end-function-,function-res,function-call,function=",
  "begin-of-sentence,beginning-of-sentence,end-of-sentence,end-of-utterance,start-of-image",
  "end-of-image,start-of-role,end-of-role,begin-of-text,end-of-text,available-tools,availabletools,im-start,im-end",
  "fim-,seed:,antml:",
].join()

/** Dangerous unless the name goes on: "<tool_call_id>" is a placeholder. */
const ENDED = "tool-call,tool-calls,tool-response,tool-result,tool-results,longcat-tool-call"

/** Dangerous if ">" follows: as parts of longer names, or with attributes, they are something else. */
const CLOSED =
  "bos,eos,unk,pad,sop,eop,eot,sot,eod,eoh,eoa,sep,cls,bos-token,eos-token,pad-token,unk-token,mask-token,turn|,endoftext"

/** Dangerous if a number follows. */
const NUMBERED = "extra-id-,reserved-,special-,unused,tokens-unused-,reserved-special-token-,ctrl"

/** In square brackets and capitals. */
const SQUARE = [
  "inst,gmask,smask,available-tools,tool-calls,tool-results,tool-content,system-prompt,model-settings,call-id",
  "img-break,img-end,think,begin-audio,transcribe,begin-of-document",
].join()

/** Between bars: with white space inside, where a bar may also be an operator, or in square brackets. */
const SPACED = [
  "imstart,imend,imsep,endoftext,startoftext,beginoftext,endofprompt,eotid,eomid,eot,eom,startheaderid,endheaderid",
  "headerstart,headerend,pythontag,system,user,assistant,tool,start,end,message,channel,return,call,constrain,bos,eos",
  "pad,human,bot,observation,developer,endofturn,beginofsentence,endofsentence,imuser,imassistant,imsystem,model,turn",
  "think,toolcall,toolcalls,toolresponse,toolresult,dsml,image,audio,video",
].join()

/** What a name after an opening needs to be dangerous. Names in context: "<<SYS>>", "<human>:". */
export type Need = "nothing" | "its end" | "a closing bracket" | "a number" | "sys" | "colon" | "s"

export const ANGLE_NAMES: TrieNode<Need> = trieOf<Need>({
  ...all(ENDED, "its end"),
  ...all(OPENERS, "nothing"),
  ...all(CLOSED, "a closing bracket"),
  ...all(NUMBERED, "a number"),
  ...all("human,bot", "colon"),
  sys: "sys",
  s: "s",
})

export const SQUARE_NAMES: TrieNode<Need> = trieOf<Need>({
  ...all(SQUARE, "a closing bracket"),
  "control-": "a number",
  "e~[": "nothing",
})

/** Behind "]": "]~b]" and "]~!b[". */
export const TILDE_NAMES: TrieNode<Need> = trieOf(all("~b],~b[,~!b],~!b[", "nothing"))

export const SPACED_NAMES: TrieNode<true> = trieOf(all(SPACED, true))

/** Gives each of several names a kind. */
export function all<const Kind>(names: string, kind: Kind): Readonly<Record<string, Kind>> {
  return Object.fromEntries(names.split(",").map((name) => [name, kind]))
}
