import { defineConfig } from "vitest/config"
import base from "./vitest.base.js"

// Tests of pure packages share their modules: loading them anew for each file took a third of the time. A test that
// replaces modules, starts programs or keeps something for its end has its file to itself.
const PURE = ["packages/{core,lens,rehearsal,inspector}/test/**/*.test.ts"]
const ALONE = ["packages/core/test/format.test.ts"]

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      { extends: true, test: { name: "pure", isolate: false, include: PURE, exclude: ALONE } },
      {
        extends: true,
        test: {
          name: "whole",
          // These start real programs, which a busy machine can hold up. A test that fails is tried once more, and the
          // reporter marks it with "retry x1": look into every one that it marks.
          retry: 1,
          include: [
            ...ALONE,
            "{packages/{cli,client,harness,postgres,shell,telemetry},bench,examples,site}/test/**/*.test.ts",
          ],
        },
      },
    ],
  },
})
