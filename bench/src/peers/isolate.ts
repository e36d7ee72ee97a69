import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"

/** The same program with a network of its own, in which there is only loopback; undefined where the machine does not allow it. */
export function isolated(
  command: string,
  args: readonly string[],
): readonly [string, ...string[]] | undefined {
  const user = process.getuid?.() === 0 ? [] : ["--map-root-user"]
  const namespace = ["--net", ...user, "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
  const works = spawnSync("unshare", [...namespace, "true"], { stdio: "ignore" }).status === 0
  return works ? ["unshare", ...namespace, command, ...args] : undefined
}

/** Runs a program in the foreground and gives its exit code. */
export async function foreground([command, ...args]: readonly [string, ...string[]]): Promise<number> {
  const child = spawn(command, args, { stdio: "inherit" })
  const [code] = (await once(child, "close")) as [number | null]
  return code ?? 1
}
