import { realpathSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import type { Place } from "../config/places.js"
import { homeFolder } from "../folders.js"
import { isInside } from "./folder.js"
import { type Brought, bring } from "./item.js"
import type { FoundConfig } from "./survey.js"

/** Where a path that stands in a file leads: from the folder of the file, or from home. */
export function located(file: string, path: string, { env }: Place): string {
  if (file === "~" || file.startsWith("~/")) return join(homeFolder(env), file.slice(1))
  return resolve(dirname(path), file)
}

/** The patterns under `instructions` that name files outside the folder. */
export function outsidePatterns(
  { path, settings }: FoundConfig,
  place: Place & { readonly folder: string },
  name: string,
): readonly Brought[] {
  return (settings.instructions ?? []).flatMap((pattern, i): readonly Brought[] => {
    if (!isOutside(located(pattern, path, place), place.folder)) return []
    return [bring("instructions", `${name}: instructions.${i}`, `reads ${pattern}`, pattern)]
  })
}

/** Whether what comes before the first wildcard, links followed, is not in the folder. */
export function isOutside(pattern: string, folder: string): boolean {
  const fixed = pattern.split(/[*?]/)[0] ?? ""
  const start = fixed === pattern ? pattern : fixed.endsWith("/") ? fixed : dirname(fixed)
  const root = real(folder)
  return !isAbsolute(start) || !isInside(real(start), root)
}

/** Without links as far as there is something. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(real(above), path.slice(above.length))
  }
}
