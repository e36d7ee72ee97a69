import type { CallPage, CallRow, StepPage, StepRow } from "../../contract.js"

/** A row of a session or of a trace: what only a session knows may be missing. */
export type Row = CallRow & Partial<Omit<StepRow, keyof CallRow>>

/** A page of a session or of a trace. */
export type Page = Omit<CallPage, "row"> & { readonly row: Row } & Partial<Omit<StepPage, keyof CallPage>>
