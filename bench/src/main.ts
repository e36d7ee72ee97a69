interface Bench {
  run(args: readonly string[]): Promise<void>
}

const benches: Record<string, () => Promise<Bench>> = {
  engine: () => import("./engine.js"),
  wire: () => import("./wire.js"),
  features: () => import("./features/index.js"),
  guard: () => import("./guard.js"),
  lens: () => import("./lens.js"),
  catalogue: () => import("./catalogue.js"),
  agent: () => import("./agent.js"),
  pages: () => import("./pages/index.js"),
  cost: () => import("./cost/index.js"),
  peers: () => import("./peers/index.js"),
  proxy: () => import("./proxy/index.js"),
  recordings: () => import("./recordings/index.js"),
  serve: () => import("./serve.js"),
  snapshot: () => import("./snapshot.js"),
  steps: () => import("./steps.js"),
  tui: () => import("./tui.js"),
}

const [name = "", ...args] = process.argv.slice(2)
const load = Object.hasOwn(benches, name) ? benches[name] : undefined

if (load === undefined) {
  console.error(`Which bench? npm run bench <name>, where <name> is: ${Object.keys(benches).join(", ")}`)
  process.exitCode = 2
} else {
  const bench = await load()
  await bench.run(args)
}
