import { randomBytes } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment } from "../../platform/workspace/folders.js"
import { privateFolder, replacePrivate } from "../../platform/workspace/private-files.js"
import type { ChildEnvironment } from "./environment.js"
import { startInTerminal } from "./start.js"
import { helper } from "./supervise.js"

interface EditingPlace {
  readonly cwd: string
  readonly env: Environment
  readonly childEnv: ChildEnvironment
}

const FALLBACK = "vi"

/** The user's editor did not do what it was started for. */
export class EditorError extends Error {
  override readonly name = "EditorError"
}

/**
 * Has the user edit a text in their own editor (`VISUAL`, else `EDITOR`, else vi), which has the terminal meanwhile.
 * The text is in a file that only the user can read, and that is removed afterwards. Throws EditorError if the editor
 * cannot be started or says that it failed.
 */
export async function editText(text: string, { cwd, env, childEnv }: EditingPlace): Promise<string> {
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || FALLBACK
  const folder = join(dataFolder(env), "drafts")
  privateFolder(folder)
  const path = join(folder, `${randomBytes(6).toString("hex")}.md`)
  replacePrivate(path, text)
  try {
    // As git does it: the variable may hold options, and is the shell's to read.
    const launch = await helper(["/bin/sh", "-c", `${editor} "$1"`, "sh", path], { cwd, env: childEnv })
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = startInTerminal(launch, { cwd, env: childEnv })
      child.once("error", reject).once("exit", (exit) => resolve(exit))
    })
    if (code !== 0) throw new EditorError(problem(editor, code))
    return readFileSync(path, "utf8").replace(/\r\n/g, "\n").replace(/\n+$/, "")
  } finally {
    rmSync(path, { force: true })
  }
}

function problem(editor: string, code: number | null): string {
  if (code === 127)
    return `There is no editor "${editor}". Set VISUAL or EDITOR to one, such as: export EDITOR=nano`
  return `The editor "${editor}" ended with ${code ?? "a signal"}. Your text is as it was.`
}
