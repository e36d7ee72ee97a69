import type { Request } from "../vocabulary/request.js"

/**
 * Chooses the messages that carry a cache breakpoint: the newest user content, and where the previous request ended, so
 * that the look-back reaches it however many blocks a step adds. A breakpoint on a system message was reported never to
 * hit: the user message before it carries it. A side request has only the second: nothing reads its own tail again.
 */
export function breakpoints(request: Request): readonly number[] {
  return [request.previous, ...(request.side === undefined ? [request.messages.length] : [])]
    .map((end) => lastUserMessage(request, end))
    .filter((index) => index >= 0)
}

function lastUserMessage(request: Request, end: number): number {
  let index = end - 1
  while (index >= 0 && request.messages.at(index)?.role !== "user") index--
  return index
}
