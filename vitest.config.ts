import { defineConfig } from "vitest/config"
import base from "./vitest.base.js"

// Tests of pure packages share their modules: loading them anew for each file took a third of the time. A test that
// replaces modules, starts programs or keeps something for its end has its file to itself.
const PURE = ["packages/{core,lens,rehearsal}/test/**/*.test.ts"]
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
          include: [...ALONE, "{packages/{cli,harness},bench,examples}/test/**/*.test.ts"],
        },
      },
    ],
  },
})
