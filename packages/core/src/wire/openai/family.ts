import { bareModel } from "../dialect.js"

/** Whether OpenAI itself serves a model; the open weights it gave away are served by others. */
export function isOpenAis(model: string): boolean {
  return /^(gpt-(?!oss)|chatgpt|codex|o\d)/.test(family(model))
}

/** Whether a model may reason. Those of OpenAI's that do not refuse to be asked for it. */
export function mayReason(model: string): boolean {
  return !/^(gpt-[34]|chatgpt|gpt-[\d.]+-chat)/.test(family(model))
}

function family(model: string): string {
  return bareModel(model).toLowerCase()
}
