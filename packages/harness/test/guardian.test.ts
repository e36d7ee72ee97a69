import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it, onTestFinished } from "vitest"
import { guardian } from "../src/execution/guardian/guardian.js"
import { guard } from "../src/execution/guardian/program.js"

/** A process group that runs until somebody ends it. */
function group(): { readonly pid: number; readonly ended: Promise<unknown>; readonly child: ChildProcess } {
  const child = spawn("sh", ["-c", "sleep 600 & wait"], { detached: true, stdio: "ignore" })
  const pid = child.pid ?? 0
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, "SIGKILL")
  })
  return { pid, child, ended: once(child, "exit") }
}

/** The program, as it is started, and what a worker tells it. */
function program() {
  const source = `(${guard.toString()})(process, require("node:fs").readFileSync)`
  const child = spawn(process.execPath, ["-e", source], { stdio: ["pipe", "inherit", "inherit"], env: {} })
  onTestFinished(() => {
    child.kill("SIGKILL")
  })
  return {
    child,
    ended: once(child, "exit"),
    tell: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
    leave: () => child.stdin.end(),
  }
}

/** The processes of a group, without those that only wait for somebody to ask how they ended. */
function livingIn(pid: number): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return Number(group) === pid && state !== "Z"
    } catch {
      return false
    }
  })
}

const clock = () => Number(process.hrtime.bigint() / 1_000_000n)
const FAR = 3_600_000

function birthOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

describe("the guardian", () => {
  it("ends a group when its time has passed, with all that is in it, and no other", async () => {
    const [short, long] = [group(), group()]
    const { tell, leave, ended } = program()
    tell({ pid: long.pid, birth: birthOf(long.pid), until: clock() + FAR })
    tell({ pid: short.pid, birth: birthOf(short.pid), until: clock() + 300 })
    expect(await short.ended).toEqual([null, "SIGKILL"])
    expect(livingIn(short.pid)).toEqual([])
    expect(livingIn(long.pid)).toHaveLength(2)
    expect(long.child.signalCode).toBeNull()
    leave()
    await ended
    expect(await long.ended).toEqual([null, "SIGKILL"])
  })

  it("leaves alone what it was told to forget, when its worker is gone", async () => {
    const [kept, forgotten] = [group(), group()]
    const { tell, leave, ended } = program()
    for (const { pid } of [kept, forgotten]) tell({ pid, birth: birthOf(pid), until: clock() + FAR })
    tell({ pid: forgotten.pid })
    leave()
    expect(await ended).toEqual([0, null])
    expect(await kept.ended).toEqual([null, "SIGKILL"])
    expect(forgotten.child.signalCode).toBeNull()
  })

  it("never ends a process that has got the number of one that is gone", async () => {
    const innocent = group()
    const { tell, leave, ended } = program()
    tell({ pid: innocent.pid, birth: "1", until: clock() - 1 })
    leave()
    expect(await ended).toEqual([0, null])
    expect(innocent.child.signalCode).toBeNull()
  })

  it("is told by a worker as long as its lease is prolonged, and not when it is lost", async () => {
    const [held, lost] = [group(), group()]
    let until: number | undefined = Date.now() + 500
    const prolonging = setInterval(() => {
      until = Date.now() + 500
    }, 100)
    const guardOfHeld = guardian.forLease(() => until)
    guardOfHeld.started(held.pid)
    const started = Date.now()
    guardian.forLease(() => undefined).started(lost.pid)
    await lost.ended
    // The other was prolonged again and again meanwhile: see it outlive its first lease by far.
    const third = group()
    guardian.forLease(() => started + 2_000).started(third.pid)
    await third.ended
    expect(held.child.signalCode).toBeNull()
    clearInterval(prolonging)
    expect(await held.ended).toEqual([null, "SIGKILL"])
  })
})
