// The arrows between the packages. A path is where a file really is: `@sotto/core` is packages/core/src/index.ts.

/** A rule that a package's own code and tests import none of the repository's other parts but these. */
const knowsOnly = (name, known) => ({
  name: `${name}-knows-only-${known.join("-and-") || "itself"}`,
  severity: "error",
  from: { path: `^packages/${name}/` },
  to: { path: `^(packages/(?!(${[name, ...known].join("|")})/)|bench/|examples/|site/)` },
})

/*
 * The rooms of each package, from the lowest to the highest. A room is a folder, or a file, directly below the package's
 * `src`. It imports only rooms that stand before it in the list, and imports of types count. So no two rooms can form a
 * circle, and what two rooms need has to lie in a room before both. A folder that is in no list fails the check.
 */
const ROOMS = {
  core: [
    "vocabulary", // the words of the engine as types, and the shapes that check them
    "log", // entries, and whether a log is whole
    "text", // tokens, differences, secrets, the guard, and how a reminder reads
    "inbox", // what waits for the model, and how it is introduced
    "prompt", // the layers of the system prompt
    "prices", // what models cost
    "rules", // who speaks, and what is told
    "economy", // when dropping old results pays
    "epoch", // what is sent and never changes, and where each thing stands in it
    "ledger", // what was told, and what a person sees
    "session", // the state machine and its commands
    "stateless", // the primitives for loops without a session
    "dialects", // the providers' formats
    "cache", // how providers' prompt caches behave
    "test-kit", // "@sotto/core/testing"
    "import", // transcripts of others
    "drive.ts",
    "economy.ts",
    "engine.ts",
    "dialect.ts",
    "models.ts",
    "index.ts",
    "platform.d.ts",
  ],
  lens: [
    "call.ts",
    "report.ts",
    "segments", // a body of any dialect as one list, and the reminders in it
    "money", // what the provider reported, and what the cache model predicts
    "problems", // what a validator, a reader of tags or a finder of secrets objects to
    "compare", // the first difference of two calls, and its cause
    "threads", // which calls continue one another
    "findings", // what is worth a person's attention
    "summary.ts",
    "lens.ts",
    "mender", // sends something else than the harness wrote
    "pages", // what the inspector shows
    "sources", // recordings and session files
    "test-kit", // "@sotto/lens/testing"
    "index.ts",
  ],
  rehearsal: [
    "conversation", // a request as a model reads it
    "json.ts",
    "reply", // an answer before it has the form of one API
    "dialects", // the four APIs
    "cache", // what the provider has cached
    "script", // what is to be answered
    "tour",
    "rehearse.ts",
    "server",
    "test-kit", // "@sotto/rehearsal/testing"
    "index.ts",
  ],
  harness: [
    "platform", // paths, private files, waiting, patterns, secrets, words for people
    "models", // how a request reaches a provider, and what counts as a reply
    "execution", // what may be done, and the one place that starts programs
    "settings", // what holds in a folder: configuration, trust, agents
    "store", // sessions on disk
    "tools", // what the model can do, and what people are shown and asked
    "sources", // what is noticed and told: instructions, skills, files, servers, hooks
    "session", // one session at work, and how its parts are put together
    "errors.ts",
    "index.ts",
  ],
  cli: [
    "version.ts",
    "usage.ts", // the command line
    "exit.ts", // ends a command from outside: signals, a closed output
    "screen", // the one way to a terminal
    "observed.ts", // telemetry around a command
    "peers", // how the user's servers and proxies find each other, and prove who they are
    "traffic", // recordings and session files that `sotto check` is pointed at
    "output", // what happens, as text and as JSON lines
    "proxy", // `sotto proxy`: traffic that passes through
    "questions", // what people type, and questions to those who type lines
    "settings", // changes the files of settings, and leaves everything else in them as it is
    "project-runtimes.ts", // what the sessions of one directory share, for those who run several
    "acp", // editors
    "server", // sessions and traces over HTTP
    "doctor", // what a newcomer gets wrong, and how to mend it
    "tour", // a scene for every kind of reminder, and how it is shown
    "commands",
    "tui",
  ],
}

/** Rules for the rooms of one package: imports go down, and every folder is a room. */
function roomsOf(name, rooms) {
  const src = `^packages/${name}/src/`
  const anyOf = (known) =>
    `${src}(${known.map((room) => (room.endsWith(".ts") ? room : `${room}/`)).join("|")})`
  const arrows = rooms.map((room, i) => ({
    name: `${name}-rooms: ${room}`,
    comment:
      "A room imports only rooms that stand before it in ROOMS. Move what both need to a lower room, or pass a value.",
    severity: "error",
    from: { path: anyOf([room]) },
    to: { path: src, pathNot: anyOf(rooms.slice(0, i + 1)) },
  }))
  const unknown = {
    name: `${name}-rooms: every folder is a room`,
    comment: "Put the folder into ROOMS, where it belongs between the others.",
    severity: "error",
    from: { path: `${src}[^/]+/`, pathNot: anyOf(rooms) },
    to: {},
  }
  return [...arrows, unknown]
}

export default {
  forbidden: [
    ...Object.entries(ROOMS).flatMap(([name, rooms]) => roomsOf(name, rooms)),
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
    knowsOnly("shell", []),
    knowsOnly("harness", ["core", "rehearsal", "shell"]),
    knowsOnly("postgres", ["harness", "core"]),
    knowsOnly("telemetry", ["harness", "core"]),
    knowsOnly("client", []),
    knowsOnly("cli", ["harness", "core", "lens", "rehearsal", "inspector", "client"]),
    {
      name: "client-is-for-others",
      comment: "The command has the server inside. Its tests are a client like any other.",
      severity: "error",
      from: { path: "^packages/(?!client/)[^/]+/src/" },
      to: { path: "^packages/client/" },
    },
    knowsOnly("inspector", ["lens"]),
    {
      name: "telemetry-names-types",
      comment: "The command has the harness inside: code of it in this package would be a second one.",
      severity: "error",
      from: { path: "^packages/telemetry/src/" },
      to: { path: "^packages/(?!telemetry/)", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "packages-by-name",
      comment:
        "Another package is imported by its name, never by a path into its folder. What the tests of stores share and the corpora of shell commands are not for others to install.",
      severity: "error",
      from: { path: "^(packages/[^/]+|bench|examples|site)/" },
      to: {
        path: "^(packages/[^/]+|bench|examples|site)/",
        pathNot:
          "^($1/|packages/harness/test/(postgres-server|cut-proxy|store-kinds|store-support).ts$|packages/shell/test/attacks/)",
        dependencyTypes: ["local"],
      },
    },
    {
      name: "examples-know-only-core",
      comment:
        "An example is what somebody else would write. What lets people talk to it may start a rehearsal.",
      severity: "error",
      from: { path: "^examples/(?!run/|test/)" },
      to: { path: "^packages/(?!core/)" },
    },
    {
      name: "sources-without-tests",
      severity: "error",
      from: { path: "/src/|^examples/(?!test/)" },
      to: { path: "^(packages/[^/]+|bench|examples|site)/test/" },
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
      // What builds the site is installed when it is built.
      from: { pathNot: "^site/vitepress/" },
      // The tests install these agents when they need them.
      to: {
        couldNotResolve: true,
        pathNot: "^(@mariozechner/pi-coding-agent|@opencode-ai/plugin|@anthropic-ai/claude-agent-sdk)$",
      },
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
