import { join } from "node:path"
import type { Location } from "../permissions/location.js"
import { isStricter, type Judge, judgeAll } from "../permissions/rules.js"
import { accessTo } from "./path-access.js"

/**
 * Says which files below a folder may be shown to somebody who may look at the folder: those that are not judged more
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
