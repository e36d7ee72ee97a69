import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { writeJson } from "./files.js"
import type { Peer } from "./peer.js"

/** Installs a peer into a folder of its own below the root. None of the packages' scripts is run. */
export async function install(peer: Peer, root: string): Promise<void> {
  if (peer.package === undefined) return
  const folder = installedIn(root, peer)
  writeJson(join(folder, "package.json"), { private: true })
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${peer.package}@${peer.version}`]
  const child = spawn("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  let complaint = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-1_500)
  })
  const [code] = (await once(child, "close")) as [number | null]
  if (code !== 0)
    throw new Error(`npm could not install ${peer.package} ${peer.version}: ${complaint.trim()}`)
}

export function installedIn(root: string, { name }: Pick<Peer, "name">): string {
  return join(root, "installed", name)
}
