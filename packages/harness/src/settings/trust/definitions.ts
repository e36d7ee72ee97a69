import { join } from "node:path"
import { configFolder } from "../../platform/workspace/folders.js"
import type { Project } from "../../platform/workspace/project.js"
import { configuredFolders } from "./folder.js"

/** A directory of definitions, and who wrote them: the user, or the author of a folder that the user trusts. */
interface DefinitionFolder {
  readonly path: string
  readonly from: "user" | "trusted"
}

/** Directories of definitions that count: the user's own, then a trusted folder's, so that nearer ones come later. */
export function definitionFolders(place: Project, kind: string): readonly DefinitionFolder[] {
  const own = join(configFolder(place.env), kind)
  if (place.trusted !== true) return [{ path: own, from: "user" }]
  const paths = configuredFolders(place).map((folder) => join(folder, ".sotto", kind))
  return [
    { path: own, from: "user" },
    ...paths.filter((path) => path !== own).map((path) => ({ path, from: "trusted" }) as const),
  ]
}
