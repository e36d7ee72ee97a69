import { defineConfig } from "vitest/config"
import base from "./vitest.base.js"

// Examples inside agents that others wrote: `npm run test:peers` installs each of them from npm, which takes minutes.
export default defineConfig({
  ...base,
  test: { ...base.test, include: ["examples/test/*.peers.ts"] },
})
