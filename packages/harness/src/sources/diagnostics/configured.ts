import type { Json } from "@sotto/core"
import type { LanguageServerSettings } from "../../settings/config/outside.js"
import { PRESETS } from "./presets.js"

/** How one language server is started, and what for. */
export interface ServerSpec {
  readonly name: string
  readonly command: readonly [program: string, ...args: string[]]
  readonly extensions: readonly string[]
  readonly markers: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly initialization: Readonly<Record<string, Json>>
  /** What to do if the program is not there. */
  readonly install?: string
}

export interface Configured {
  readonly specs: readonly ServerSpec[]
  /** What cannot be used, in words for the user. */
  readonly wrong: readonly string[]
}

type Settings = Readonly<Record<string, boolean | LanguageServerSettings>>

/** Reads `lsp` in `sotto.json`: a name that Sotto knows fills in what is not said. */
export function configuredServers(lsp: Settings): Configured {
  const found = Object.entries(lsp).flatMap(([name, given]) => {
    if (given === false || (given !== true && given.disable === true)) return []
    return [specOf(name, given === true ? {} : given)]
  })
  return {
    specs: found.filter((one) => typeof one !== "string"),
    wrong: found.filter((one) => typeof one === "string"),
  }
}

function specOf(name: string, given: LanguageServerSettings): ServerSpec | string {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  const [program, ...args] = given.command ?? preset?.command ?? []
  const extensions = (given.extensions ?? preset?.extensions ?? []).map(dotted)
  if (program === undefined || extensions.length === 0)
    return (
      `lsp.${name} in sotto.json: Sotto does not know this language server. ` +
      `Say its \`command\` and \`extensions\`, or use one of ${Object.keys(PRESETS).join(", ")}.`
    )
  return {
    name,
    command: [program, ...args],
    extensions,
    markers: preset?.markers ?? [],
    env: given.env ?? {},
    initialization: { ...preset?.initialization, ...given.initialization },
    ...(preset !== undefined && given.command === undefined && { install: preset.install }),
  }
}

function dotted(extension: string): string {
  return (extension.startsWith(".") ? extension : `.${extension}`).toLowerCase()
}
