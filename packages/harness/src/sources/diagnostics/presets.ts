import { basename, extname } from "node:path"
import type { Json } from "@sotto/core"

/** A language server that Sotto knows how to start. */
export interface Preset {
  readonly command: readonly string[]
  readonly extensions: readonly string[]
  /** Files that stand where a project of its language begins. */
  readonly markers: readonly string[]
  readonly install: string
  /** What the server has to be told at the start to report anything; the user's own `initialization` comes on top. */
  readonly initialization?: Readonly<Record<string, Json>>
}

const C_LIKE = [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm"]
const EXTRACTED = "npm install -g vscode-langservers-extracted"

export const PRESETS: Readonly<Record<string, Preset>> = {
  typescript: {
    command: ["typescript-language-server", "--stdio"],
    extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
    markers: ["tsconfig.json", "jsconfig.json", "package.json"],
    install: "npm install -D typescript-language-server typescript",
  },
  python: {
    command: ["pyright-langserver", "--stdio"],
    extensions: [".py", ".pyi"],
    markers: ["pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"],
    install: "npm install -g pyright",
  },
  go: {
    command: ["gopls"],
    extensions: [".go"],
    markers: ["go.work", "go.mod"],
    install: "go install golang.org/x/tools/gopls@latest",
  },
  rust: {
    command: ["rust-analyzer"],
    extensions: [".rs"],
    markers: ["Cargo.toml", "rust-project.json"],
    install: "rustup component add rust-analyzer",
  },
  clangd: {
    command: ["clangd"],
    extensions: C_LIKE,
    markers: ["compile_commands.json", "compile_flags.txt", ".clangd"],
    install: "install clangd with the system's package manager",
  },
  yaml: {
    command: ["yaml-language-server", "--stdio"],
    extensions: [".yaml", ".yml"],
    markers: [],
    install: "npm install -D yaml-language-server",
  },
  bash: {
    command: ["bash-language-server", "start"],
    extensions: [".sh", ".bash"],
    markers: [],
    install: "npm install -g bash-language-server",
  },
  json: {
    command: ["vscode-json-language-server", "--stdio"],
    extensions: [".json", ".jsonc"],
    markers: [],
    install: EXTRACTED,
  },
  css: {
    command: ["vscode-css-language-server", "--stdio"],
    extensions: [".css", ".scss", ".less"],
    markers: [],
    install: EXTRACTED,
  },
  html: {
    command: ["vscode-html-language-server", "--stdio"],
    extensions: [".html", ".htm"],
    markers: [],
    install: EXTRACTED,
    // Without the second, the server fails on every file with a script in it.
    initialization: {
      embeddedLanguages: { css: true, javascript: true },
      "js/ts": { implicitProjectConfig: {} },
    },
  },
}

/** The protocol's names, where they are not the extension's own. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
  ".rs": "rust",
  ".h": "c",
  ".cc": "cpp",
  ".cxx": "cpp",
  ".hh": "cpp",
  ".hpp": "cpp",
  ".hxx": "cpp",
  ".m": "objective-c",
  ".mm": "objective-cpp",
  ".yml": "yaml",
  ".sh": "shellscript",
  ".bash": "shellscript",
  ".htm": "html",
  ".md": "markdown",
  ".rb": "ruby",
  ".cs": "csharp",
  ".kt": "kotlin",
}

export function languageOf(path: string): string {
  const extension = extname(path).toLowerCase()
  return LANGUAGES[extension] ?? (extension === "" ? basename(path).toLowerCase() : extension.slice(1))
}
