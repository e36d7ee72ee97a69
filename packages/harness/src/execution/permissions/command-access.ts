import { type CommandTouch, judge } from "@sotto/shell"
import type { Access } from "./access.js"

/**
 * Says what a command line would touch: one access for each command in it, with its effect, one for each file that it is
 * known to change, and one for each that it reads.
 */
export async function judgeCommand(command: string, cwd: string): Promise<readonly Access[]> {
  const { touches } = await judge(command, { cwd })
  return accessesOf(touches, command)
}

/** Words touches as rules speak of them. Each path is named once for each thing that is done with it. */
function accessesOf(touches: readonly CommandTouch[], detail: string): readonly Access[] {
  const found: Access[] = []
  const known = new Map<string, number>()
  for (const touch of touches)
    for (const access of accessesTo(touch, detail)) {
      const key = `${access.permission} ${access.target} ${access.perhaps}`
      const at = touch.is === "run" ? undefined : known.get(key)
      if (at === undefined) {
        if (touch.is !== "run") known.set(key, found.length)
        found.push(access)
      } else if (touch.is !== "visit") found[at] = access
    }
  return found
}

function accessesTo(touch: CommandTouch, detail: string): readonly Access[] {
  switch (touch.is) {
    case "run": {
      const { is: _, part: __, command: target, ...run } = touch
      return [{ permission: "bash", target, ...run, detail }]
    }
    case "read": {
      const { path: target, reach, below, exact, perhaps } = touch
      const advice = reach === "anywhere" ? UNKNOWN_FILE : below ? RECURSIVE : undefined
      const read: Access = {
        permission: "read",
        target,
        detail,
        ...(exact !== undefined && { exact }),
        ...(perhaps && { perhaps }),
        ...(advice !== undefined && { advice }),
      }
      if (reach === "inside") return [read]
      return [read, { permission: "outside", target, detail, ...(reach === "anywhere" && { exact: false }) }]
    }
    case "write": {
      const { path: target, reach } = touch
      const edit: Access = { permission: "edit", target, detail }
      return reach === "inside" ? [edit] : [edit, { permission: "outside", target, detail }]
    }
    case "visit": {
      const { path: target, exact } = touch
      return [{ permission: "outside", target, detail, ...(exact !== undefined && { exact }) }]
    }
  }
}

const RECURSIVE =
  "The command reads everything below this folder, and a file there may not be read. Use the grep tool, which leaves it out, or name the files."
const UNKNOWN_FILE =
  "Which file the command reads is known only when it runs. Name the file, or use the read tool."
