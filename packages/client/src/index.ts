export { SottoClient } from "./client.js"
export type { Schemas } from "./schemas.js"
export { type ClientOptions, type NumberedItem, type SendOptions, SottoApiError } from "./transport.js"
