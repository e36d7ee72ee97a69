import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { MUTANTS } from "./packages/core/test/mutants/mutants.js"
import base from "./vitest.base.js"

// The core suite with one fault in the sources, for `npm run test:mutants`. The fault is put in as the file is read:
// nothing on disk changes.
const mutant = MUTANTS.find(({ name }) => name === process.env.SOTTO_MUTANT)
if (mutant === undefined)
  throw new Error("SOTTO_MUTANT names no mutant of packages/core/test/mutants/mutants.ts.")
const file = join(import.meta.dirname, "packages/core/src", mutant.file)

export default defineConfig({
  ...base,
  plugins: [
    {
      name: "sotto-mutant",
      enforce: "pre",
      load: (id) =>
        id === file ? readFileSync(file, "utf8").replace(mutant.find, () => mutant.replace) : null,
    },
  ],
  test: {
    ...base.test,
    bail: 1,
    // The property of the promise itself has to notice, where no other test is named.
    ...(mutant.tests.join() === "promises" && { testNamePattern: `histories ${mutant.promise}\\. ` }),
    env: { SOTTO_RUNS: "150" },
    include: mutant.tests.map((name) => `packages/core/test/${name}.test.ts`),
    setupFiles: ["packages/core/test/mutants/setup.ts"],
  },
})
