import type { Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { reopen, start } from "../support/session.js"
import { problemsOf } from "../support/validate.js"
import { COMMANDS, edge, edgesPage, MOMENTS } from "./edges.js"

/** Members of a session that ask and change nothing, or only run commands that are in the table. */
const QUERIES = (
  "constructor id phase log isInTurn agent model tuning pending context economy cacheUsedAt capabilities together receipt queue due " +
  "exchanges fact facts view asides summaries ledger watch follow"
).split(" ")

describe("docs/reference/edges.md", () => {
  it("has every command of a session", () => {
    const members = Object.getOwnPropertyNames(Object.getPrototypeOf(start()))
    const named = Object.keys(COMMANDS).map((name) => name.replace(/\(.*/, ""))
    expect([...new Set(named)].toSorted()).toEqual(
      members.filter((name) => !QUERIES.includes(name)).toSorted(),
    )
  })

  it("is current: `npm run docs` writes it", async () => {
    await expect(edgesPage()).toMatchFileSnapshot("../../../../docs/reference/edges.md")
  })
})

describe.each(Object.entries(MOMENTS))("%s", (_, make) => {
  it.each(Object.entries(COMMANDS))(
    "%s: a refused command logs nothing, and the session can go on",
    (_, command) => {
      const session = make()
      const before = JSON.stringify(session.log)
      const cell = edge(command, session)
      if (/^(error|late|–)/.test(cell)) expect(JSON.stringify(session.log)).toBe(before)
      const restored = reopen(session)
      for (const one of [session, restored]) {
        one.say("And then?", { id: "then" })
        finish(one)
        expect(one.receipt("then")?.state).toBe("delivered")
      }
      expect(JSON.stringify(restored.view())).toBe(JSON.stringify(session.view()))
    },
  )
})

/** Answers whatever there is until the session is idle. */
function finish(session: Session): void {
  for (let next = session.next(); next.is !== "idle"; next = session.next()) {
    if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "output")
    else {
      expect(problemsOf(next.request)).toEqual([])
      session.reply(next.request.id, { parts: [{ type: "text", text: "ok" }] })
    }
  }
}
