import { isAbsolute, join, relative as relativePath, sep } from "node:path"
import type { Location } from "../../platform/workspace/location.js"
import { accessTo } from "./path-access.js"
import { isStricter, type Judge, judgeAll } from "./rules.js"

/**
 * Says which files below a folder may be shown to an agent that may look at the folder: those that are not judged more
 * strictly than it is. Paths are relative to the folder and lead through no link.
 */
export function readableIn(folder: Location, judge: Judge): (file: string) => boolean {
  const usual = judgeAll(judge, accessTo("read", folder)).action
  return (file) => {
    const path = file.replaceAll("\\", "/")
    const relative = folder.relative === "." ? path : join(folder.relative, path)
    const place = { path: join(folder.path, path), relative, inside: folder.inside }
    return !isStricter(judgeAll(judge, accessTo("read", place)).action, usual)
  }
}

/** True if the rules deny reading a file, given by its absolute path without links. */
export function isReadDenied(path: string, cwd: string, judge: Judge): boolean {
  return judgeAll(judge, accessTo("read", placeAt(path, cwd))).action === "deny"
}

/**
 * True if a file may be part of what an agent is told unasked, such as instructions: unless it is judged more strictly
 * than the workspace. An agent that may read nothing at all is still told its instructions.
 */
export function isTellable(path: string, cwd: string, judge: Judge): boolean {
  const { relative } = placeAt(path, cwd)
  return !isStricter(
    judge({ permission: "read", target: relative }),
    judge({ permission: "read", target: "." }),
  )
}

function placeAt(path: string, cwd: string): Location {
  const below = relativePath(cwd, path).split(sep).join("/")
  const inside = below !== ".." && !below.startsWith("../") && !isAbsolute(below)
  return { path, relative: inside ? below || "." : path, inside }
}
