import { resolve, sep } from "node:path"
import type { PermissionRule } from "@sotto/core"

type Projects = Readonly<Record<string, { readonly permission?: readonly PermissionRule[] }>>

/** The user's rules for the folders that contain this one, the innermost last. */
export function rulesFor(projects: Projects, cwd: string): readonly PermissionRule[] {
  const here = `${resolve(cwd)}${sep}`
  return Object.entries(projects)
    .filter(([folder]) => here.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`))
    .sort(([one], [other]) => one.length - other.length)
    .flatMap(([, { permission = [] }]) => permission)
}
