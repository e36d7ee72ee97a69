import type { Judgement } from "./judgement.js"
export function confinable(_name: string, _args: readonly unknown[]): Judgement | undefined {
  return undefined
}
