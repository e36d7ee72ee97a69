import { standardRules } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { remindersPage } from "./page.js"
import { WHEN } from "./when.js"

describe("docs/reference/reminders.md", () => {
  it("says of every kind when it speaks, and of no other", () => {
    expect(Object.keys(WHEN).toSorted()).toEqual(
      standardRules()
        .map(({ kind }) => kind)
        .toSorted(),
    )
    for (const when of Object.values(WHEN)) expect(when).toMatch(/^[a-z][^.]+$/)
  })

  it("has an example of every kind", () => {
    const page = remindersPage()
    for (const { kind } of standardRules())
      expect(page).toMatch(new RegExp(`## ${kind}\n\n[^#]+\`\`\`text\n.+`))
  })

  it("is current: `npm run docs` writes it", async () => {
    await expect(remindersPage()).toMatchFileSnapshot("../../../../docs/reference/reminders.md")
  })
})
