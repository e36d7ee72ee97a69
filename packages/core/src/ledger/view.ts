import type { Message, Part } from "../vocabulary/message.js"

/** Reads what a person sees: hiding goes by the flag, never by what a text looks like. */
export function readView(transcript: readonly Message[]): readonly Message[] {
  return transcript.flatMap((message) => {
    if (!message.parts.some(isSynthetic)) return message.parts.length > 0 ? [message] : []
    const parts = message.parts.filter((part) => !isSynthetic(part))
    return parts.length > 0 ? [{ ...message, parts }] : []
  })
}

function isSynthetic(part: Part): boolean {
  return "synthetic" in part && part.synthetic === true
}
