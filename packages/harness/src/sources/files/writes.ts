/** Who wrote what, of all the agents that work in one directory. */
export class Writes {
  readonly #last = new Map<string, { readonly hash: string; readonly session: string; readonly by: string }>()

  record(path: string, hash: string, session: string, by: string): void {
    this.#last.set(path, { hash, session, by })
  }

  /** Says in words whose content that is, if it is another session's. The content proves it, not the time. */
  by(path: string, hash: string | undefined, session: string): string | undefined {
    const last = this.#last.get(path)
    return last !== undefined && last.hash === hash && last.session !== session ? last.by : undefined
  }
}
