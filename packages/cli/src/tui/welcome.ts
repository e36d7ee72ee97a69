import { homedir } from "node:os"
import { defaultModel, isRehearsal, type ProjectRuntime } from "@sotto/harness"
import type { Bindings } from "./context.js"
import { named } from "./keys/bindings.js"
import type { Screen } from "./state/screen.js"

export function welcome(
  { model, items }: Pick<Screen, "model" | "items">,
  { cwd, env, config }: ProjectRuntime,
  bindings: Bindings,
): string {
  const home = homedir()
  const place = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd
  const head = `**sotto** · \`${model}\` · ${place}`
  if (items.length > 0) return head
  const isWithoutKey = isRehearsal(defaultModel(env, config))
  return `${head}\n\n${isRehearsal(model) ? rehearsal(isWithoutKey, bindings) : START}`
}

const START =
  "Type while it works, too: your words reach it at the next step. `Ctrl+R` shows what else it is told, `?` the keys."

/** Offers the tour. Nothing of it begins before the person says so. */
function rehearsal(isWithoutKey: boolean, { deeds }: Bindings): string {
  const keys = deeds.find(({ name }) => name === "tour")?.keys ?? []
  const starts = [...keys.map((key) => `\`${named(key)}\``), "`/tour`"].join(" or ")
  const why = isWithoutKey ? "No key is set, so the model" : "The model"
  const real = isWithoutKey
    ? " For a real model run `sotto login`, or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`."
    : ""
  return `${why} is the **rehearsal**: a stand-in, not an AI, with the real protocol and tools. **${starts} starts a short tour.**${real}`
}
