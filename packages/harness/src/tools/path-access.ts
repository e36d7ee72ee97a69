import type { Access } from "../permissions/access.js"
import { type Location, locate } from "../permissions/paths.js"

export function accessTo(permission: "read" | "edit", place: Location, detail?: string): readonly Access[] {
  const access: Access = { permission, target: place.relative, ...(detail !== undefined && { detail }) }
  return place.inside ? [access] : [access, { permission: "outside", target: place.path }]
}

const judged = new WeakMap<object, Location>()

/** Where the path in the input of a call leads, to be judged. */
export async function placeToJudge(input: object, path: string, cwd: string): Promise<Location> {
  const place = await locate(path, cwd)
  judged.set(input, place)
  return place
}

/** The place that was judged, once: not where the path may lead by now, after somebody was asked. */
export async function judgedPlace(input: object, path: string, cwd: string): Promise<Location> {
  const place = judged.get(input) ?? (await locate(path, cwd))
  judged.delete(input)
  return place
}
