import { parseArgs } from "node:util"

const USAGE = `usage: npm run test:fleet -- [--workers N] [--sessions N] [--seconds N] [--lease SECONDS] [--seed N]
                            [--restart-database] [--no-fencing]`

/** What the long storm of the fleet is to be like: what is left out is as packages/cli/test/fleet/fleet.test.ts says. */
export function fleetOptions(args) {
  const number = { type: "string" }
  try {
    const { values } = parseArgs({
      args,
      options: {
        ...{ workers: number, sessions: number, seconds: number, lease: number, seed: number },
        "restart-database": { type: "boolean" },
        "no-fencing": { type: "boolean" },
      },
    })
    const { "restart-database": restartDatabase = false, "no-fencing": unfenced = false, ...numbers } = values
    const given = Object.entries(numbers).map(([name, text]) => [name, Number(text)])
    if (given.some(([, value]) => !(value > 0))) throw new Error("Use numbers above 0.")
    return { ...Object.fromEntries(given), restartDatabase, fencing: !unfenced }
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`)
    process.exit(2)
  }
}
