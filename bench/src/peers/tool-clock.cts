// Preloaded into Sotto's process: keeps how long its tools worked, and writes it to a file at the end. Not a module, which
// would take longer to load.
import channels = require("node:diagnostics_channel")
import fs = require("node:fs")

const times: number[] = []
channels.subscribe("sotto:tool", (message) => times.push((message as { readonly took: number }).took))
process.on("exit", () => fs.writeFileSync(process.env.TOOL_TIMES ?? "", JSON.stringify(times)))
