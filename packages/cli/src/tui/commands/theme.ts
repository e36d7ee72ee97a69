import type { SlashCommand } from "../context.js"
import { settingsFiles } from "../settings/places.js"
import { themesIn } from "../settings/themes.js"
import { writeTheme } from "../settings/write.js"

export const theme: SlashCommand = {
  name: "theme",
  argument: "[NAME]",
  help: "the colours of the terminal; kept in your own sotto.json",
  offers: ({ workplace }) =>
    themesIn(workplace.env).map(({ name, about }) => ({ text: name, detail: about })),
  run: async ({ workplace, pick, setTheme, say }, argument) => {
    const { cwd, env, config } = workplace
    const items = themesIn(env).map(({ name, about }) => ({ value: name, label: name, detail: about }))
    const name = argument === "" ? await pick("Theme", items) : argument
    if (name === undefined || !setTheme(name)) return
    const { user } = settingsFiles(cwd, env, config.files)
    writeTheme(user, name)
    say(`theme: ${name}, kept in ${user}`)
  },
}
