/** Matchers for vitest and jest: `expect.extend(lensMatchers)`. */
export { type LensMatchers, lensMatchers } from "./matchers.js"
