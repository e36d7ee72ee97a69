export type { Call, CallResponse, Damage, DialectName, Item, SourceFormat } from "./call.js"
