import type { CallPage, CallRow, StepPage, StepRow } from "../../contract.js"

/** A row of a session or of a trace: what only a session knows may be missing. */
export type AnyRow = CallRow & Partial<Omit<StepRow, keyof CallRow>>

/** A page of a session or of a trace. */
export type AnyPage = Omit<CallPage, "row"> & { readonly row: AnyRow } & Partial<
    Omit<StepPage, keyof CallPage>
  >
