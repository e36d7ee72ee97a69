import { defineConfig } from "vitest/config"

// Packages are tested on their sources, so that a failure points at the line somebody wrote.
// The rest is as Node has it: packages that are loaded by Node itself are found in the same place.
const conditions = ["@sotto/source", "node", "import", "default"]

/** What all configurations share. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Most tests wait for programs and disks, so that even the last core has time for another file.
  test: { testTimeout: 120_000, maxWorkers: "100%" },
})
