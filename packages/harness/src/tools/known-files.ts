export type { Touch } from "../files/known-files.js"
