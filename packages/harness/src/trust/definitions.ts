import { join } from "node:path"
import type { Place } from "../config/places.js"
import { configFolder } from "../folders.js"
import { configuredFolders } from "./folder.js"

/** Who wrote something: the user in their own folder of settings, or whoever made the folder the agent works in. */
export type Provenance = "user" | "trusted" | "untrusted"

export function folderProvenance({ trusted }: Place): Provenance {
  return trusted === true ? "trusted" : "untrusted"
}

/** A directory of definitions, and who wrote them. */
export interface DefinitionFolder {
  readonly path: string
  readonly from: Provenance
}

/** Directories of definitions that count: the user's own, then a trusted folder's, so that nearer ones come later. */
export function definitionFolders(place: Place, kind: string): readonly DefinitionFolder[] {
  const own = join(configFolder(place.env), kind)
  if (place.trusted !== true) return [{ path: own, from: "user" }]
  const paths = configuredFolders(place).map((folder) => join(folder, ".sotto", kind))
  return [
    { path: own, from: "user" },
    ...paths.filter((path) => path !== own).map((path) => ({ path, from: "trusted" }) as const),
  ]
}
