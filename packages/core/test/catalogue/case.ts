import type { LedgerRow, Session, SessionOptions, Trust } from "@sotto/core"

/** Brings a session to a point; what matters is what the next boundary then tells. */
export type Drive = (session: Session) => void

/** A drive after which the kind speaks, and something that only it says. */
interface Telling {
  readonly drive: Drive
  readonly says: string
}

/** A drive that stops one unit short. The row is that of the next boundary: "nothing" unless said. */
interface Nearly {
  readonly drive: Drive
  readonly row?: Partial<LedgerRow>
  /** Where the session has to be another one. */
  readonly options?: Partial<SessionOptions>
}

/** One kind of the catalogue, and all that the walker has to know to try it. */
export interface Case extends Telling {
  readonly kind: string
  /** The trust column of SPEC §6. */
  readonly trust: Trust
  readonly options?: Partial<SessionOptions>
  /** What was before, up to a moment at which there is nothing to tell. Every drive starts from here. */
  readonly setup?: Drive
  readonly nearly: Readonly<Record<string, Nearly>>
  /** At the very next boundary: what happens first, if anything, and the row that follows. */
  readonly again: { readonly drive?: Drive; readonly row: Partial<LedgerRow> }
  /** Several things at one boundary that make one reminder; `not` is what it no longer says. */
  readonly together?: Telling & { readonly not?: string }
  /** What comes and goes between two boundaries: silence. */
  readonly cancels?: Drive
  /** Right after a compaction, and after `drive` if there is one; without `says`, silence. */
  readonly afterCompaction: { readonly drive?: Drive; readonly says?: string }
  /** Whatever else the kind may say, by name. "in short" is the short form. */
  readonly variants?: Readonly<Record<string, Telling>>
}
