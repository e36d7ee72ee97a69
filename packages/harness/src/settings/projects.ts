import { resolve } from "node:path"
import type { PermissionRule } from "@sotto/core"
import { isInside } from "../platform/workspace/location.js"

type Projects = Readonly<Record<string, { readonly permission?: readonly PermissionRule[] }>>

/** Lists the user's rules for the folders that contain this one, the innermost last. */
export function rulesFor(projects: Projects, cwd: string): readonly PermissionRule[] {
  const here = resolve(cwd)
  return Object.entries(projects)
    .filter(([folder]) => isInside(here, folder))
    .sort(([one], [other]) => one.length - other.length)
    .flatMap(([, { permission = [] }]) => permission)
}
