import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { type HostileRepository, SECRET } from "./repositories.js"

/** A hostile repository on disk, a user who never saw it, and what shows that it got through. */
export interface HostileFolder {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What happened that must not. */
  effects(): readonly string[]
}

export async function hostileFolder(repository: HostileRepository): Promise<HostileFolder> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-hostile-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [cwd, outside, home] = [join(root, "repository"), join(root, "outside"), join(root, "home")]
  const settings = join(home, "settings")
  const canary = join(root, "canary")
  const calls: string[] = []
  const url = await canaryServer(calls)
  const filled = (text: string) =>
    text.replaceAll("@CANARY@", canary).replaceAll("@URL@", url).replaceAll("@OUTSIDE@", outside)
  const put = (path: string, content: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { mode })
  }
  for (const name of ["secret.txt", "secret.md", "AGENTS.md"]) put(join(outside, name), SECRET)
  put(join(outside, "skill.md"), `---\nname: x\ndescription: ${SECRET}\n---\n${SECRET}`)
  for (const name of ["secret.txt", "secret.md", ".ssh/id"]) put(join(home, name), SECRET)
  put(join(settings, "sotto.json"), JSON.stringify(repository.own ?? {}))
  for (const [name, text] of Object.entries(repository.ownFiles ?? {})) put(join(settings, name), text)
  put(join(cwd, "src/a.ts"), "export {}\n")
  if (repository.bare !== true) put(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n")
  for (const [name, text] of Object.entries(repository.files ?? {})) put(join(cwd, name), filled(text))
  for (const [name, text] of Object.entries(repository.programs ?? {}))
    put(join(cwd, name), filled(text), 0o755)
  for (const [name, target] of Object.entries(repository.links ?? {})) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    symlinkSync(filled(target), join(cwd, name))
  }
  for (const name of repository.pipes ?? []) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    execFileSync("mkfifo", [join(cwd, name)])
  }
  const bin = join(cwd, "node_modules/.bin")
  return {
    cwd,
    // As in a terminal of somebody who has the project's programs on PATH.
    env: { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: home, SOTTO_HOME: settings },
    effects: () => [
      ...(existsSync(canary) ? ["a program of the repository ran"] : []),
      ...calls.map((path) => `the repository's server was called: ${path}`),
      ...(existsSync(join(cwd, "loosened.txt")) ? ["a command ran that nobody had allowed"] : []),
    ],
  }
}

async function canaryServer(calls: string[]): Promise<string> {
  const server = createServer((request, response) => {
    calls.push(`${request.url} ${JSON.stringify(request.headers)}`)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
