import { FETCH } from "./definitions.js"
import type { Tool } from "./tool.js"
import type { FetchedPages, FetchInput, FetchOptions } from "./web/fetch-page.js"

/** Fetches pages of the web. What it takes to do so is loaded when a model first asks for one. */
export function fetchTool(options: () => FetchOptions): Tool<FetchInput> {
  let pages: Promise<FetchedPages> | undefined
  return {
    definition: FETCH,
    changes: false,

    async access({ url }) {
      const { accessTo, addressIn, checkHost } = await import("./web/hosts.js")
      const address = addressIn(url)
      // Before the user is asked about what is refused in any case.
      checkHost(address, options().privateHosts)
      return [accessTo(address)]
    },

    async run(input, context) {
      pages ??= import("./web/fetch-page.js").then(({ FetchedPages }) => new FetchedPages(options()))
      return (await pages).fetch(input, context)
    },
  }
}
