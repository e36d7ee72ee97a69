import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import { configFolder } from "../../platform/workspace/folders.js"
import { isInside, leadsInside } from "../../platform/workspace/location.js"
import type { Project } from "../../platform/workspace/project.js"
import { configuredFolders, isForeign, trustFolder } from "./folder.js"

/** What instruction files are called. */
export const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]

/** Which instruction files may be read, and whether the user, or an author whom the user trusts, wrote them. */
export interface InstructionAccess {
  mayRead(path: string): boolean
  /** Whether the user has vouched for what it says: it is their own, or a trusted folder's. */
  isVouchedFor(path: string): boolean
}

/**
 * Decides which instruction files may be read. A file of the folder has to lie in it, links followed. With trust, links
 * of the topmost files may lead outside, but only to where they led when the user was asked. `named` are paths that the
 * configuration allows by name.
 */
export function instructionAccess(
  place: Project,
  links: readonly string[],
  named: (path: string) => boolean,
): InstructionAccess {
  const folder = place.folder ?? trustFolder(place, () => false)
  const own = configFolder(place.env)
  const directories = configuredFolders(place)
  const shown = new Map(place.trusted === true ? links.flatMap((path) => targetsOutside(path, folder)) : [])
  const isOwn = (path: string) => dirname(path) === own
  return {
    mayRead: (path) => {
      if (isOwn(path) || named(path)) return true
      if (isInside(path, folder)) return leadsInside(path, folder) || leadsTo(path, shown.get(path))
      return leadsInside(path, dirname(path))
    },
    isVouchedFor: (path) => {
      if (isOwn(path) || named(path)) return true
      if (place.trusted !== true) return false
      return directories.includes(dirname(path)) || !isForeign(dirname(path), folder)
    },
  }
}

function targetsOutside(path: string, folder: string): readonly [string, string][] {
  if (leadsInside(path, folder)) return []
  try {
    return [[path, realpathSync(path)]]
  } catch {
    return []
  }
}

function leadsTo(path: string, target: string | undefined): boolean {
  try {
    return target !== undefined && realpathSync(path) === target
  } catch {
    return false
  }
}
