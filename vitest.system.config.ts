import { defineConfig } from "vitest/config"
import base from "./vitest.base.js"

// Tests of what the machine has to offer: `npm run test:system` installs that first where it can.
export default defineConfig({
  ...base,
  test: { ...base.test, retry: 1, include: ["packages/*/test/**/*.system.ts"] },
})
