/**
 * Runs as the guardian's whole program: it ends process groups when their time has passed without an extension, or when
 * the process that told of them is gone. It is handed to `node -e` as text, so that it needs no file of its own and
 * works from sources, from compiled files and from the bundle alike. So it may use nothing but its parameters. Standard
 * input has one JSON object a line: {"pid", "birth", "until"} guards a group or extends its time, {"pid"} alone forgets
 * it. `until` is in milliseconds of the clock that all processes of a machine share and that no program can set. A
 * group is known by the birth of its first process: numbers of processes are used again.
 */
export function guard(self: NodeJS.Process, readFile: (path: string, encoding: "utf8") => string): void {
  const groups = new Map<number, { readonly birth: string; readonly until: number }>()
  let timer: NodeJS.Timeout | undefined
  let rest = ""

  const now = () => Number(self.hrtime.bigint() / BigInt(1_000_000))

  // After the name, which is in parentheses and may hold anything, the start time is the 20th field.
  const birthOf = (pid: number): string => {
    try {
      const stat = readFile(`/proc/${pid}/stat`, "utf8")
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
    } catch {
      return ""
    }
  }

  const end = (pid: number, birth: string): void => {
    groups.delete(pid)
    const found = birthOf(pid)
    // Its first process may be gone and the rest of the group be there: the number is not used again before that is, too.
    if (found !== "" && found !== birth) return
    try {
      self.kill(-pid, "SIGKILL")
    } catch {
      // It has ended by itself.
    }
  }

  const look = (): void => {
    clearTimeout(timer)
    for (const [pid, { birth, until }] of [...groups]) if (until <= now()) end(pid, birth)
    if (groups.size === 0) return
    const next = Math.min(...[...groups.values()].map(({ until }) => until))
    timer = setTimeout(look, Math.min(Math.max(next - now(), 1), 60_000))
  }

  const hear = (line: string): void => {
    const { pid, birth, until } = JSON.parse(line) as { pid: number; birth?: string; until?: number }
    if (!Number.isInteger(pid) || pid <= 1) return
    if (until === undefined) groups.delete(pid)
    else groups.set(pid, { birth: birth ?? "", until })
  }

  self.stdin.setEncoding("utf8")
  self.stdin.on("data", (text: string) => {
    const lines = (rest + text).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) hear(line)
    look()
  })
  const over = () => {
    for (const [pid, { birth }] of [...groups]) end(pid, birth)
    self.exit(0)
  }
  self.stdin.on("end", over)
  self.stdin.on("error", over)
  // Ignore these signals: a program that stops the worker signals the worker's own number.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) self.on(signal, () => {})
}
