import { join } from "node:path"
import { defineConfig } from "vite"

// The page: one script and one style sheet with fixed names, so that the page can read itself when it is saved as a file.
export default defineConfig({
  root: join(import.meta.dirname, "src/page"),
  base: "./",
  logLevel: "warn",
  resolve: { conditions: ["@sotto/source", "module", "browser", "import", "default"] },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../../dist/web",
    emptyOutDir: true,
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: { entryFileNames: "app.js", assetFileNames: "app[extname]", codeSplitting: false },
    },
  },
})
