import type { Mend } from "./contract.js"
import { partOf, type Sheet } from "./sheet.js"
import { plainText, type Statement } from "./statement.js"
import type { Thread } from "./thread.js"

const EXCERPT = 200

/** What is held in a request, and what the model is told about it, for people. */
export function mendsOf(
  thread: Pick<Thread, "tools" | "system" | "head" | "sent">,
  sheet: Sheet,
  statements: readonly Statement[],
): readonly Mend[] {
  const { tools, system, head, sent } = thread
  const hold = (path: string, message: string, withheld?: string): Mend => ({
    policy: "hold",
    path,
    message,
    ...(withheld !== undefined && { withheld: withheld.slice(0, EXCERPT) }),
  })
  const mends: Mend[] = []
  if (tools !== undefined && tools !== partOf(sheet, "tools"))
    mends.push(hold("tools", "The tools go out as they were first sent.", partOf(sheet, "tools")))
  if (system !== undefined && system !== partOf(sheet, "system"))
    mends.push(hold("system", "The system prompt goes out as it was first sent.", partOf(sheet, "system")))
  if (head !== undefined)
    mends.push(
      hold(`${sheet.listName}[0]`, "The system prompt goes out as it was first sent.", sheet.items[0]),
    )
  let next = sheet.head
  for (const { from, frozen } of sent) {
    const path = `${sheet.listName}[${from < 0 ? next : from}]`
    if (from >= 0) next = from + 1
    if (frozen === undefined || frozen === sheet.items[from]) continue
    if (from < 0) mends.push(hold(path, "What stood here before, or was told here, stays in its place."))
    else mends.push(hold(path, "This message goes out as it was first sent.", sheet.items[from]))
  }
  for (const one of statements)
    mends.push({
      policy: "hold",
      path: sheet.listName,
      message: `The model is told at the tail: ${one.about}.`,
      told: plainText([one]).slice(0, EXCERPT),
    })
  return mends
}
