import { homedir } from "node:os"
import { isRehearsal, type Workplace } from "@sotto/harness"
import type { Screen } from "./state/screen.js"

/** What stands at the top of a conversation. */
export function welcome({ model, items }: Pick<Screen, "model" | "items">, { cwd }: Workplace): string {
  const home = homedir()
  const place = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
  const head = `**sotto** · \`${model}\` · ${place}`
  if (items.length > 0) return head
  return `${head}\n\n${isRehearsal(model) ? TOUR : START}`
}

const START =
  "Type while it works, too: your words reach it at the next step. `Ctrl+R` shows what else it is told, `?` the keys."

const TOUR =
  "No key was found, so **a stand-in plays the model**: it speaks the real protocol, and looks around here with the real " +
  "tools. **Type something while it works and press Enter**: you will see when it arrives, and how it was told. " +
  "For a real model run `sotto login`, or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`."
