import { completionScript, isShell, SHELLS } from "../output/completion.js"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"

/** Prints a script with which a shell completes commands and options of `sotto`. */
export async function completion(args: readonly string[]): Promise<number> {
  const [shell, ...more] = args
  if (shell === undefined || more.length > 0 || !isShell(shell))
    throw new UsageError(`Which shell? One of ${SHELLS.join(", ")}. For example: sotto completion bash.`)
  out.print(completionScript(shell))
  return EXIT.done
}
