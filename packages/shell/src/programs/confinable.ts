import type { Word } from "../parse/words.js"
import { type Judgement, type Program, texts } from "./judgement.js"
import { parseOptions, program, table } from "./options.js"

const CARGO = `none -pFj: -qvr -- package: workspace all all-targets all-features no-default-features features: lib bins bin:
  examples example: tests test: benches bench: offline locked frozen quiet verbose message-format: color: release profile:
  target: manifest-path: exclude: keep-going jobs:`
const NPM_LIST = `-alpgs -w: -- all long json parseable global depth: omit: include: prod production dev only: link silent
  workspaces workspace: package-lock-only`
const PNPM_LIST = "-rPDgl -F: -- recursive depth: json long parseable prod dev global only-projects filter:"
const BIOME = `-- config-path: max-diagnostics: diagnostic-level: colors: reporter: skip-parse-errors no-errors-on-unmatched
  error-on-warnings changed since: staged verbose log-level: log-kind: files-ignore-unknown: files-max-size: only: skip:
  formatter-enabled: linter-enabled: organize-imports-enabled: assist-enabled:`
const RUFF = `-nqsve -- select: ignore: extend-select: extend-ignore: output-format: config: line-length: target-version:
  no-cache diff statistics show-files show-settings preview no-preview no-fix exit-zero quiet silent verbose exclude:
  extend-exclude: respect-gitignore no-respect-gitignore force-exclude isolated stdin-filename: per-file-ignores:`

/**
 * Lists commands that are there to look, by program and subcommand, with the options that make sense for looking. All of
 * them run code or obey settings of the workspace, so that no table can say what they do. None has an option that changes
 * files (`--fix`, `--write`, `-o`), goes on for ever (`--watch`) or asks the network (`npm outdated`). Tests are not
 * here: they write. `+` marks options of which one has to be there.
 */
const commands: Readonly<Record<string, string>> = {
  "npm ls": NPM_LIST,
  "npm list": NPM_LIST,
  "npm ll": NPM_LIST,
  "npm explain": NPM_LIST,
  "npm why": NPM_LIST,
  "npm query": NPM_LIST,
  "npm pkg get": "text -w: -- workspace: workspaces json",
  "npm root": "none -g -- global",
  "npm prefix": "none -g -- global",
  "npm bin": "none -g -- global",
  "npm run": "none -w: -- json workspace: workspaces",
  "pnpm ls": PNPM_LIST,
  "pnpm list": PNPM_LIST,
  "pnpm why": PNPM_LIST,
  "yarn list": "-- depth: pattern: json production prod",
  "yarn why": "-R -- recursive peers json",
  "yarn info": "-AR -- all recursive json name-only dependents virtuals extra: manifest",
  yarn: "none -v+ -- version+",
  pnpm: "none -v+ -- version+",
  tsc: `at-files -p: -- noEmit+ showConfig+ listFilesOnly+ project: pretty: strict skipLibCheck allowJs checkJs
    esModuleInterop noImplicitAny noUnusedLocals noUnusedParameters resolveJsonModule isolatedModules jsx: target: module:
    moduleResolution: lib: types: listFiles explainFiles traceResolution diagnostics extendedDiagnostics`,
  node: "stops -c+ -- check+",
  eslint: `-cf: -- ext: config: no-eslintrc no-config-lookup rule: quiet max-warnings: format: color no-color ignore-path:
    ignore-pattern: no-ignore no-inline-config report-unused-disable-directives no-error-on-unmatched-pattern
    no-warn-ignored print-config: debug stats env: global: parser: parser-options: plugin: rulesdir:
    resolve-plugins-relative-to:`,
  "biome check": BIOME,
  "biome lint": BIOME,
  "biome ci": BIOME,
  "biome format": BIOME,
  prettier: `-cl+ -u -- check+ list-different+ config: ignore-path: no-config no-editorconfig log-level: loglevel: parser:
    plugin: ignore-unknown no-color no-error-on-unmatched-pattern with-node-modules single-quote no-semi tab-width:
    print-width: trailing-comma:`,
  "cargo check": CARGO,
  // After `--` come levels of lints.
  "cargo clippy": `lints ${CARGO.replace("none", "")} no-deps`,
  "cargo tree": `none -pieFf: -dqv -- package: invert: duplicates depth: prefix: edges: no-dedupe charset: format: target:
    workspace exclude: all-features no-default-features features: offline locked frozen manifest-path: color: quiet verbose`,
  "cargo metadata": `none -qv -F: -- format-version: no-deps filter-platform: all-features no-default-features features:
    offline locked frozen manifest-path: color: quiet verbose`,
  "cargo locate-project": "none -qv -- workspace message-format: manifest-path: color: quiet verbose",
  cargo: "none -v -V+ -- version+ verbose",
  rustc: "none -v -V+ -- version+ verbose",
  "go vet": "single-dash -- json tags: n x c:",
  "go list": "single-dash -- json? f: m deps test e export compiled find tags: versions",
  "go env": "single-dash text -- json changed",
  "go version": "single-dash -- m v",
  "go doc": "single-dash text -- all c cmd short src u",
  gofmt: "-ld+ -se -r:",
  "python3 -m json.tool": "one -- indent: tab no-indent compact sort-keys no-ensure-ascii json-lines",
  "ruff check": RUFF,
  "ruff format": `${RUFF.replace(" diff ", " ")} check+ diff+`,
  mypy: `at-files -pm: -v -- strict ignore-missing-imports config-file: package: module: python-version: platform:
    no-incremental show-error-codes hide-error-codes pretty no-pretty no-color-output no-error-summary exclude:
    follow-imports: namespace-packages explicit-package-bases check-untyped-defs disallow-untyped-defs warn-unused-ignores`,
  pyright:
    "-p: -- project: pythonversion: pythonplatform: outputjson level: warnings stats verbose skipunannotated",
  "pip list": "none -lvq -- local user format: not-required exclude: verbose quiet",
  "pip show": "text -fvq -- files verbose quiet",
  "pip freeze": "none -lvq -- local user all exclude: exclude-editable",
  make: `text -kqsBrRpw -n+ -Cfj: -- just-print+ dry-run+ recon+ question+ always-make no-print-directory directory: file:
    makefile: silent quiet keep-going print-data-base`,
  javac: "none single-dash -- version+",
  mvn: "none -v+ -- version+",
  gradle: "none -v+ -- version+",
  dotnet: "none -- info+ version+ list-sdks+ list-runtimes+",
  "terraform fmt": "single-dash -- check+ diff recursive list: no-color",
  "terraform validate": "none single-dash -- json no-color",
  "terraform version": "none single-dash -- json",
  shellcheck: `-ax -CSWefiosP: -V -- check-sourced color? include: exclude: extended-analysis: format: list-optional norc enable:
    source-path: shell: severity: wiki-link-count: external-sources rcfile:`,
  hadolint: `-cft: -V -- config: format: error: warning: info: style: ignore: no-fail failure-threshold: no-color
    trusted-registry: require-label: strict-labels disable-ignore-pragma`,
  yamllint: "-cdf: -sv -- config-file: config-data: format: list-files strict no-warnings",
  jsonlint: "-qc -t: -- quiet compact",
  tokei:
    "-fClhV -eost: -- files exclude: hidden languages no-ignore output: sort: types: compact columns: num-format:",
  cloc: `-- by-file by-file-by-lang json yaml csv md xml quiet hide-rate sum-one exclude-dir: exclude-ext: exclude-lang:
    include-lang: include-ext: match-f: not-match-f: match-d: not-match-d: vcs: git fullpath timeout: skip-uniqueness`,
  scc: `-cdpwz -fisnx: -- by-file ci format: include-ext: exclude-ext: exclude-dir: exclude-file: not-match: sort: wide
    no-complexity no-cocomo no-duplicates no-gen no-min no-size min gen dryness uloc percent avg-wage: languages`,
  ctags: "at-files -R -x+ -- recurse? languages: exclude: sort: fields:",
  nm: `at-files -aABCDgjlnoPprsSuvWX -fteU: -- debug-syms print-file-name demangle? no-demangle dynamic defined-only
    extern-only format: line-numbers numeric-sort no-sort portability print-armap print-size quiet radix: reverse-sort
    size-sort synthetic undefined-only target: with-symbol-versions`,
  objdump: `at-files -adDfghpsStTrRxwzClF -MjbmE: -- archive-headers disassemble? disassemble-all all-headers file-headers
    section-headers headers syms dynamic-syms reloc dynamic-reloc full-contents source private-headers demangle? wide
    section: start-address: stop-address: no-show-raw-insn show-raw-insn line-numbers disassembler-options: architecture:
    target: no-addresses visualize-jumps?`,
  readelf: `at-files -aAcdDeghIlLnrsStTuVWC -pxR: -- all file-header program-headers segments section-headers sections headers
    syms symbols dyn-syms notes relocs unwind dynamic version-info arch-specific archive-index histogram wide use-dynamic
    string-dump: hex-dump: relocated-dump: demangle? section-groups section-details`,
  ldd: "-vudr -- verbose unused data-relocs function-relocs",
  size: "at-files -ABGdoxt -- format: radix: common totals target:",
}

const programs: Readonly<Record<string, Program>> = Object.fromEntries(
  Object.entries(commands).map(([name, source]) => [name, program(source, { effect: "confinable" })]),
)

/** Names the tools that npx may run from the workspace. It would ask the network for one that is not there. */
const tools = new Set(["tsc", "eslint", "biome", "@biomejs/biome", "prettier", "pyright", "jsonlint"])
const npx = table("stops -q -- no-install no offline quiet")

/** Judges a command that is there to look by its options. Returns undefined for every other command. */
export function confinable(name: string, args: readonly Word[]): Judgement | undefined {
  if (name === "npx") {
    const { operands, effect } = parseOptions(args, npx)
    const [tool = ""] = texts(operands.slice(0, 1)) ?? []
    return effect === "read" && tools.has(tool) ? confinable(tool, operands.slice(1)) : undefined
  }
  const alias = aliases[name] ?? name
  for (const count of [2, 1, 0]) {
    const key = [alias, ...(texts(args.slice(0, count)) ?? ["?"])].join(" ")
    const found = Object.hasOwn(programs, key) ? programs[key]?.(args.slice(count)) : undefined
    if (found?.effect === "confinable") return found
  }
  return undefined
}

const aliases: Readonly<Record<string, string>> = {
  python: "python3",
  pip3: "pip",
  "@biomejs/biome": "biome",
}
