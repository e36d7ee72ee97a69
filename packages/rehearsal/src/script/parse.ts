import { isNode, LineCounter, parseDocument } from "yaml"
import { checkScript } from "./check.js"
import type { Path } from "./fields.js"
import type { Script } from "./script.js"

/** What is wrong with a script, and where. */
export class ScriptError extends Error {
  override readonly name = "ScriptError"

  constructor(
    readonly file: string,
    /** From 1; absent where the script is not a text. */
    readonly line: number | undefined,
    /** As a path: "steps.3.fail.status". */
    readonly field: string,
    what: string,
  ) {
    super(
      [`${file}${line === undefined ? "" : `:${line}`}`, ...(field === "" ? [] : [field]), what].join(": "),
    )
  }
}

/** Reads a script from YAML text. `file` is what errors call it. */
export function parseScript(text: string, file = "script"): Script {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [broken] = document.errors
  if (broken)
    throw new ScriptError(file, lines.linePos(broken.pos[0]).line, "", broken.message.split("\n")[0] ?? "")

  /** Finds the line of the nearest thing on the path that is there at all. */
  function lineOf(path: Path): number {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    }
    return 1
  }

  return checkScript(
    document.toJS(),
    (path, what) => new ScriptError(file, lineOf(path), path.join("."), what),
  )
}

/** Checks a script written in TypeScript, or read from JSON, like one in YAML. */
export function defineScript(script: Script | Script["steps"]): Script {
  return checkScript(script, (path, what) => new ScriptError("script", undefined, path.join("."), what))
}
