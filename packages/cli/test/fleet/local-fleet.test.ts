import { spawn } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { Client } from "../support/server.js"

const SCRIPT = fileURLToPath(new URL("../../../../scripts/local-fleet.mjs", import.meta.url))

const TOKEN = "a-token-that-both-workers-share"

test("scripts/local-fleet.mjs starts PostgreSQL and two workers that serve the same sessions", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sotto-local-")))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { PATH } = process.env
  const child = spawn(process.execPath, [SCRIPT, "--workspace", `app=${folder}`], {
    cwd: folder,
    env: { PATH, HOME: folder, SOTTO_TOKEN: TOKEN },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await ended
  })
  const clients: Client[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^worker \d+: (\S+)$/.exec(line)?.[1]
    if (url !== undefined) clients.push(new Client(url, TOKEN))
    if (line === "ready") break
  }
  const [first, second] = clients
  const made = await first?.post("/sessions", { workspace: "app" })
  expect(made).toMatchObject({ status: 201 })
  const said = await second?.post(`/sessions/${made?.json.id}/say`, { text: "Hello.", id: "m1" })
  expect(said).toMatchObject({ status: 200, json: { id: "m1", seq: expect.any(Number) } })
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
}, 180_000)
