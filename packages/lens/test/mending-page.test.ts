import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { createMender } from "../src/index.js"
import { calling, claude, send, user } from "./support/mending.js"

it("docs/mending.md shows what is sent", () => {
  const page = readFileSync(new URL("../../../docs/mending.md", import.meta.url), "utf8")
  const [first, second, sent, beside, inside] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, json = ""]) => JSON.parse(json),
  )
  const mender = createMender({ hold: true })
  expect(send(mender, first).mends).toEqual([])
  expect(send(mender, second).json).toEqual(sent)
  const around = (message: unknown) => claude([user("Look."), calling("toolu_1"), message])
  expect(send(createMender({ smoosh: true }), around(beside)).json).toEqual(around(inside))
})
