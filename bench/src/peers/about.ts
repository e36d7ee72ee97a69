import { cpus, totalmem, type } from "node:os"
import type { Amount } from "./measure.js"

type Network = "loopback" | "all" | "not-needed"

const NETWORKS: Readonly<Record<Network, string>> = {
  loopback: ", in a network namespace with only loopback",
  all: ", with the machine's network, which cannot be taken away here",
  "not-needed": "",
}

/** Says what was measured, where and how often, without the machine's name. `measured` says when, and of which commit. */
export function about(measured: string, amount: Amount, network: Network): readonly string[] {
  const [cpu] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${measured}: ${cpus().length} cores (${cpu?.model.trim() ?? "unknown"}), ` +
      `${memory} GB of memory, ${type()} ${process.arch}, Node ${process.versions.node}${NETWORKS[network]}.`,
    `${amount.short} runs of 20 steps and ${amount.long} of 300; a figure is the median of the runs ` +
      "(least–most), and × is how many times Sotto's it is.",
  ]
}
