export { openSource, readCalls, type Source, UnknownSource } from "./read.js"
export { DIALECTS, dialectOf, sottoCall } from "./sotto.js"
