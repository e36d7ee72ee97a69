/** How passages are indexed and asked for. The builder and the browser have to agree on it. */
export const SEARCH = {
  fields: ["heading", "title", "text"],
  storeFields: ["heading", "title", "text", "url", "section"],
  searchOptions: {
    boost: { heading: 4, title: 2 },
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND" as const,
    // A guide explains a word; a signature only has it.
    boostDocument: (_id: unknown, _term: string, stored?: Record<string, unknown>) =>
      String(stored?.url).startsWith("api/") ? 0.3 : 1,
  },
}

/** What the search finds: what stands under one heading of one page. */
export interface Found {
  readonly heading: string
  readonly title: string
  readonly text: string
  /** From the root of the site. */
  readonly url: string
  readonly section: string
}
