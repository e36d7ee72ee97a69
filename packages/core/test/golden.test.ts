import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { type Entry, type Request, restoreSession, type Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { FORMAT } from "../src/vocabulary/request.js"
import { HISTORIES, type History, optionsOf, played, requestsIn } from "./golden/histories.js"
import {
  bodiesOf,
  bodyFile,
  type Golden,
  goldenFormats,
  readGolden,
  sumsOf,
  writeGolden,
} from "./golden/store.js"
import { reissue } from "./support/history.js"
import { problemsOf } from "./support/validate.js"

const text = (value: unknown) => JSON.stringify(value)

/** Shown in full, so that a reader sees what the sums are of. */
const SHOWN = [
  ["reminders-in-results", "anthropic"],
  ["developer-messages", "openai"],
] as const

if (process.env.WRITE_GOLDEN === "1")
  for (const history of HISTORIES) {
    const sums: Record<string, Readonly<Record<string, string>>> = {}
    let last: Request | undefined
    const { log } = played(history, (request) => {
      sums[request.id] = sumsOf(request)
      last = request
    })
    writeGolden({ format: FORMAT, name: history.name, log, sums })
    for (const [name, wire] of SHOWN) {
      const file = bodyFile(FORMAT, name, wire)
      if (name === history.name && last && !existsSync(file))
        writeFileSync(file, `${JSON.stringify(JSON.parse(bodiesOf(last)[wire] ?? ""), null, 2)}\n`)
    }
  }

const historyOf = ({ name }: { readonly name: string }): History =>
  HISTORIES.find((history) => history.name === name) ?? { name, options: {}, play: () => {} }

const flying = (session: Session): Request => {
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return next.request
}

const restoredAt = (golden: Golden, length: number): Session =>
  restoreSession(optionsOf(historyOf(golden)), golden.log.slice(0, length))

const RAISE =
  "This version gives other bytes than the one that wrote the golden logs. If that is meant: raise FORMAT in src/wire/request.ts by one and add golden logs of the new format (WRITE_GOLDEN=1 npx vitest run packages/core/test/golden.test.ts). Never edit or delete a golden log: sessions like it are on people's disks."

describe("golden logs", () => {
  it("exist of every history in the present format", () => {
    expect(goldenFormats(), RAISE).toContain(FORMAT)
    const names = readGolden(FORMAT).map(({ name }) => name)
    expect(names.toSorted(), "Write the missing ones with WRITE_GOLDEN=1.").toEqual(
      HISTORIES.map(({ name }) => name).toSorted(),
    )
  })

  const goldens = goldenFormats().flatMap(readGolden)
  const present = goldens.filter(({ format }) => format === FORMAT)
  const earlier = goldens.filter(({ format }) => format !== FORMAT)

  it.each(present)(
    "$name: restored after every request, it sends the same bytes in every dialect",
    (golden) => {
      const requests = requestsIn(golden.log)
      expect(requests.map(({ id }) => id)).toEqual(Object.keys(golden.sums))
      for (const { id, length } of requests) {
        const session = restoredAt(golden, length)
        const request = flying(session)
        expect(request.id).toBe(id)
        expect(sumsOf(request), `${golden.name}, ${id}: ${RAISE}`).toEqual(golden.sums[id])
        expect(session.log).toHaveLength(length)
      }
    },
  )

  it.each(SHOWN)("%s: the last body for %s is the one that is shown", (name, wire) => {
    const golden = present.find((one) => one.name === name)
    const last = golden && requestsIn(golden.log).at(-1)
    const body = golden && last && bodiesOf(flying(restoredAt(golden, last.length)))[wire]
    expect(JSON.parse(body ?? "null")).toEqual(JSON.parse(readFileSync(bodyFile(FORMAT, name, wire), "utf8")))
  })

  for (const golden of earlier)
    it(`format ${golden.format}, ${golden.name}: restored anywhere, it goes on with a rebase that the log tells of`, () => {
      for (const { length } of requestsIn(golden.log)) {
        const session = restoredAt(golden, length)
        expect(session.log).toHaveLength(length)
        const request = flying(session)
        expect([request.pins.format, ...problemsOf(request)]).toEqual([FORMAT])
        expect(session.log.slice(length).map(({ type }) => type)).toEqual(["format"])
      }
    })
})

describe("the histories of the golden logs", () => {
  it.each(HISTORIES)("$name: stopped after any entry, it goes on to the same requests", (history) => {
    const sent = new Map<string, string>()
    const log: readonly Entry[] = JSON.parse(
      text(played(history, (one) => sent.set(one.id, text(sumsOf(one)))).log),
    )
    for (let at = 1; at <= log.length; at++) {
      const twin = restoreSession(optionsOf(history), log.slice(0, at))
      for (const entry of log.slice(at)) {
        const request = reissue(twin, entry)
        if (request) expect(text(sumsOf(request))).toBe(sent.get(request.id))
      }
      expect(text(twin.log)).toBe(text(log))
    }
  })
})
