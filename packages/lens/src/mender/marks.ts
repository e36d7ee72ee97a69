import { exactJson, text } from "../segments/json.js"
import { blocksIn, markerOf, withMarker } from "./json-text.js"

/** Puts the harness's cache markers of a message on what goes out in its place. */
export function remarked(held: string, now: string | undefined): string {
  if (now === undefined || !now.includes('"cache_control"')) return held
  const targets = blocksIn(held).map(({ start, end }) => JSON.parse(held.slice(start, end)) as unknown)
  return blocksIn(now).reduce((json, block) => {
    const marker = markerOf(now, block)
    if (marker === undefined) return json
    const wanted = exactJson(JSON.parse(now.slice(block.start, block.end)), true)
    const same = targets.findIndex((one) => exactJson(one, true) === wanted)
    const index =
      same >= 0 ? same : targets.findLastIndex((one) => !/thinking$/.test(text(one, "type") ?? ""))
    return withMarker(json, Math.max(0, index), marker)
  }, held)
}
