import type { Carrier, Json } from "@sotto/core"

export interface OfferedTool {
  readonly name: string
  readonly schema: { readonly [key: string]: Json }
}

/** A stretch of text that the model was told in one breath. */
export interface ToldText {
  readonly from: "user" | "tool" | "system"
  readonly text: string
  /** How it travelled, if it is a reminder; a user's words and a tool's output are carried by nothing. */
  readonly carrier?: Carrier
}

export interface EarlierAnswer {
  readonly text: string
  readonly calls: number
}

/** What went up in one request, and what was answered; the newest has no answer yet. */
export interface MessageGroup {
  readonly pieces: readonly ToldText[]
  readonly answer?: EarlierAnswer
}

/** A request as a model reads it, whatever API it came by. */
export interface ReadConversation {
  readonly model: string
  readonly stream: boolean
  readonly system: string
  readonly tools: readonly OfferedTool[]
  /** The provider's own search is offered. */
  readonly searches: boolean
  readonly toolChoice: "auto" | "none" | "required"
  /** Reasoning is asked for, or cannot be switched off. */
  readonly reasons: boolean
  /** The answer has to be JSON by this schema. */
  readonly format?: OfferedTool["schema"]
  readonly groups: readonly MessageGroup[]
}

/** Lists what the model was told in this request. */
export function newest(conversation: ReadConversation): readonly ToldText[] {
  return conversation.groups.at(-1)?.pieces ?? []
}

/** Gives the words that the conversation began with, reminders aside. */
export function opening(conversation: ReadConversation): string {
  const [first] = conversation.groups
  const words = first?.pieces.filter(({ from, carrier }) => from === "user" && carrier === undefined)
  return words?.map(({ text }) => text).join("\n") ?? ""
}

/** Counts the times that the model has answered in this conversation. */
export function answers(conversation: ReadConversation): number {
  return conversation.groups.filter((group) => group.answer !== undefined).length
}
