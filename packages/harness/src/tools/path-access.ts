import type { Access } from "../permissions/access.js"
import type { Location } from "../permissions/paths.js"

export function accessTo(permission: "read" | "edit", place: Location, detail?: string): readonly Access[] {
  const access: Access = { permission, target: place.relative, ...(detail !== undefined && { detail }) }
  return place.inside ? [access] : [access, { permission: "outside", target: place.path }]
}
