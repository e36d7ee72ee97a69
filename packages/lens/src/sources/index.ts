export { openSource, readCalls, type Source, UnknownSource } from "./read.js"
