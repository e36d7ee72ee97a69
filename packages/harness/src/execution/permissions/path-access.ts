import { type Location, locate } from "../../platform/workspace/location.js"
import type { Access } from "./access.js"

export function accessTo(permission: "read" | "edit", place: Location, detail?: string): readonly Access[] {
  const access: Access = { permission, target: place.relative, ...(detail !== undefined && { detail }) }
  return place.inside ? [access] : [access, { permission: "outside", target: place.path }]
}

/**
 * Says where paths lead, each looked up once: what was judged is what is used, also if the user was asked in between.
 */
export function placesIn(cwd: string): (path: string) => Promise<Location> {
  const known = new Map<string, Promise<Location>>()
  return (path) => {
    const place = known.get(path) ?? locate(path, cwd)
    known.set(path, place)
    return place
  }
}
