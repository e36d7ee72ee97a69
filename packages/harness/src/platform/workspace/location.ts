import { realpathSync } from "node:fs"
import { isInside, type Location, locate as locatePath, PathError } from "@sotto/shell/paths"
import { ToolError } from "../text/errors.js"

export { isInside, type Location }

/** Says where a path leads, for a tool: a path that leads nowhere is for the model to mend. */
export async function locate(input: string, cwd: string): Promise<Location> {
  try {
    return await locatePath(input, cwd)
  } catch (error) {
    throw error instanceof PathError ? new ToolError(error.message, { cause: error }) : error
  }
}

/** True if what the path leads to, links followed, lies in the folder. What is not there lies nowhere. */
export function leadsInside(path: string, folder: string): boolean {
  try {
    return isInside(realpathSync(path), realpathSync(folder))
  } catch {
    return false
  }
}
