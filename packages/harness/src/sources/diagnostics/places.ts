import { existsSync } from "node:fs"
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { ChildEnvironment } from "../../execution/programs/environment.js"
import { isProgram } from "../../execution/programs/find-program.js"
import { type Project, projectFolders } from "../../platform/workspace/project.js"
import { mayStart, searchPath } from "../../settings/trust/programs.js"

/** Where servers run, and what they inherit. */
export interface ServersPlace extends Project {
  readonly env: ChildEnvironment
}

/** True if the files of the path are the agent's work, and not what was installed or lies elsewhere. */
export function isOwn(path: string, cwd: string): boolean {
  const below = relative(cwd, path)
  if (below === "" || isAbsolute(below)) return false
  const [first, ...folders] = below.split(sep)
  return first !== ".." && ![first, ...folders].some((name) => name === "node_modules" || name === ".git")
}

/** Finds the nearest folder around the file that has one of the markers, and never one above the workspace. */
export function rootOf(path: string, markers: readonly string[], cwd: string): string {
  for (let folder = dirname(path); folder !== cwd && folder !== dirname(folder); folder = dirname(folder))
    if (markers.some((marker) => existsSync(join(folder, marker)))) return folder
  return cwd
}

/** Finds a program on PATH, else among what the project has installed; undefined if no program may run. */
export function findProgram(program: string, root: string, place: Project): string | undefined {
  const mayRun = (path: string) => isProgram(path) && mayStart(path, place)
  if (program.includes("/")) return [resolve(place.cwd, program)].find(mayRun)
  const onPath = searchPath(place).split(delimiter)
  const installed = [...between(root, place.cwd), ...projectFolders(place).toReversed()].map((folder) =>
    join(folder, "node_modules", ".bin"),
  )
  return [...onPath, ...installed].map((folder) => join(folder, program)).find(mayRun)
}

function between(root: string, cwd: string): readonly string[] {
  const folders: string[] = []
  for (let folder = root; folder !== cwd && folder !== dirname(folder); folder = dirname(folder))
    folders.push(folder)
  return folders
}
