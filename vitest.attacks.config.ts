import { defineConfig } from "vitest/config"
import base from "./vitest.base.js"

// Every corpus of attacks in its long form: `npm test` runs the same files with fewer rounds.
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    testTimeout: 1_800_000,
    env: { SOTTO_ATTACKS: "long", SOTTO_RUNS: "5000" },
    include: ["packages/*/test/attacks/**/*.test.ts", "packages/*/test/system/*sandbox*.system.ts"],
  },
})
