import { describe, expect, it } from "vitest"
import { casesOf } from "./cases.js"
import { faultsPage } from "./page.js"
import { APIS } from "./wire.js"

describe("docs/faults.md", () => {
  it("has no fault twice", () => {
    for (const api of APIS) {
      const names = casesOf(api).map(({ group, fault }) => `${group}: ${fault}`)
      expect(names).toEqual([...new Set(names)])
    }
  })

  it("is current: `npm run docs` writes it", async () => {
    await expect(faultsPage()).toMatchFileSnapshot("../../../../docs/faults.md")
  })
})
