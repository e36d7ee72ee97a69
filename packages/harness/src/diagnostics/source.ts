import type { Source, Stage } from "../sources/source.js"
import type { Observer } from "./observer.js"

const NAME = "language servers"

/** New problems in the files that the agent touches. Nothing of it is loaded before there is a server to ask. */
export function diagnostics(stage: Stage): Source {
  const { config, languageServers } = stage.workplace
  if (Object.keys(config.lsp).length === 0) return { name: NAME }
  let observer: Promise<Observer> | undefined
  const observe = async (): Promise<Observer> => {
    const [{ Observer }, servers] = await Promise.all([import("./observer.js"), languageServers()])
    return new Observer(stage, servers)
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
