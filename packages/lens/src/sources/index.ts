export { betasIn } from "./calls.js"
export { type Endpoint, endpointOf } from "./endpoint.js"
export { openSource, readCalls, type Source, UnknownSource } from "./read.js"
export { DIALECTS, dialectOf, sottoCall } from "./sotto.js"
