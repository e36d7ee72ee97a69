export { SottoClient } from "./client.js"
export type { Schemas } from "./schemas.js"
export { type CallOptions, type ClientOptions, type NumberedItem, SottoApiError } from "./transport.js"
