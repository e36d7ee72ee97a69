import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { createMender } from "../src/index.js"
import { send } from "./support/mending.js"

it("docs/mending.md shows what is sent", () => {
  const page = readFileSync(new URL("../../../docs/mending.md", import.meta.url), "utf8")
  const [first, second, sent] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) =>
    JSON.parse(json),
  )
  const mender = createMender({ hold: true })
  expect(send(mender, first).mends).toEqual([])
  expect(send(mender, second).json).toEqual(sent)
})
