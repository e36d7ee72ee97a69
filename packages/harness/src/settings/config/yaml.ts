// Loaded on demand as a module of ours: a bundle cannot tell the names of a CommonJS package that is imported on demand.
export { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml"
