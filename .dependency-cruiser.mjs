// The arrows between the packages. A path is where a file really is: `@sotto/core` is packages/core/src/index.ts.

/** A rule that a package's own code and tests import none of the repository's other parts but these. */
const knowsOnly = (name, known) => ({
  name: `${name}-knows-only-${known.join("-and-") || "itself"}`,
  severity: "error",
  from: { path: `^packages/${name}/` },
  to: { path: `^(packages/(?!(${[name, ...known].join("|")})/)|bench/|examples/)` },
})

export default {
  forbidden: [
    {
      name: "core-is-pure",
      comment: "The engine runs anywhere and owns no socket, file or timer: it imports only its own sources.",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { pathNot: "^packages/core/src/" },
    },
    {
      name: "lens-is-pure",
      comment: "The lens reads what it is given: it imports its own sources and core's.",
      severity: "error",
      from: { path: "^packages/lens/src/" },
      to: { pathNot: "^packages/(lens|core)/src/" },
    },
    knowsOnly("core", []),
    knowsOnly("lens", ["core"]),
    knowsOnly("rehearsal", ["core"]),
    knowsOnly("harness", ["core", "rehearsal"]),
    knowsOnly("cli", ["harness", "core", "lens", "rehearsal"]),
    knowsOnly("inspector", ["lens"]),
    {
      name: "cli-acts-through-the-harness",
      comment: "The command may name their types but not run their code; its tests may.",
      severity: "error",
      from: { path: "^packages/cli/src/" },
      to: { path: "^packages/(core|rehearsal)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "packages-by-name",
      comment: "Another package is imported by its name, never by a path into its folder.",
      severity: "error",
      from: { path: "^(packages/[^/]+|bench|examples)/" },
      to: { path: "^(packages/[^/]+|bench|examples)/", pathNot: "^$1/", dependencyTypes: ["local"] },
    },
    {
      name: "sources-without-tests",
      severity: "error",
      from: { path: "/src/" },
      to: { path: "^(packages/[^/]+|bench|examples)/test/" },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "resolvable",
      comment: "Also what a path into another package becomes when its exports do not offer it.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "(^|/)(node_modules|dist)/" },
    tsConfig: { fileName: "tsconfig.test.json" },
    // Imports of types are arrows too.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@sotto/source", "import", "node", "default"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".json"],
    },
  },
}
