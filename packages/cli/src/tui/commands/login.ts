import { once } from "node:events"
import { defaultModel, isRehearsal, startSottoHere } from "@sotto/harness"
import { switchModel } from "../actions/modes.js"
import type { SlashCommand } from "../context.js"

/** Gives the terminal to `sotto login`, which takes a key without showing it, and uses the key from then on. */
export const login: SlashCommand = {
  name: "login",
  argument: "[PROVIDER]",
  help: "store a provider's key where only you can read it, after trying it",
  run: async (terminal, argument) => {
    const { window, workplace, say, talk } = terminal
    if (window.isLent) return
    const args = argument === "" ? ["login"] : ["login", argument]
    const code = await window.lend(async () => {
      const child = startSottoHere(args, workplace.cwd)
      const [ended] = await once(child, "close")
      return ended
    })
    if (code !== 0) return say("no key was stored")
    workplace.renewKeys()
    const usual = defaultModel(workplace.env, workplace.config)
    if (isRehearsal(talk().model().model) && !isRehearsal(usual)) switchModel(terminal, usual)
    else say("the key is stored; /model lists what it reaches")
  },
}
