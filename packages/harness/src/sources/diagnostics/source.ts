import type { Config } from "../../settings/load.js"
import type { Source, SourceContext } from "../source.js"
import type { DiagnosticObserver } from "./observer.js"
import type { LanguageServers } from "./servers.js"

const NAME = "language servers"

interface DiagnosticsSettings {
  readonly config: Pick<Config, "lsp" | "collectTimeout">
  languageServers(): Promise<LanguageServers>
}

/** Finds new problems in the files that the agent touches. Nothing of it is loaded before there is a server to ask. */
export function diagnostics(
  context: SourceContext,
  { config, languageServers }: DiagnosticsSettings,
): Source {
  if (Object.keys(config.lsp).length === 0) return { name: NAME }
  let observer: Promise<DiagnosticObserver> | undefined
  const observe = async (): Promise<DiagnosticObserver> => {
    const [{ DiagnosticObserver }, servers] = await Promise.all([import("./observer.js"), languageServers()])
    return new DiagnosticObserver(context, servers, config.collectTimeout)
  }
  return {
    name: NAME,
    touched: (touch) => {
      observer ??= observe()
      // What fails here fails again where it is collected, and is reported there.
      observer.then((found) => found.touched(touch)).catch(() => undefined)
    },
    collect: async (signal) => {
      const since = Date.now()
      await (await observer)?.collect(since, signal)
    },
    compacted: () => {
      observer?.then((found) => found.compacted()).catch(() => undefined)
    },
    close: async () => (await observer?.catch(() => undefined))?.close(),
  }
}
