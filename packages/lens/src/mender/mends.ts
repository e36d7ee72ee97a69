import { commonStart } from "../compare/similar.js"
import type { Mend } from "./contract.js"
import { partOf, type Sheet } from "./sheet.js"
import { smooshed } from "./smoosh.js"
import { plainText, type Statement } from "./statement.js"
import type { Substitute } from "./substitute.js"

const EXCERPT = 200

/** Lists what is held in a request, and what the model is told about it, for people. */
export function mendsOf(
  substitute: Pick<Substitute, "tools" | "system" | "head" | "sent">,
  sheet: Sheet,
  statements: readonly Statement[],
  isHolding: boolean,
): readonly Mend[] {
  const { tools, system, head, sent } = substitute
  const hold = (path: string, message: string, withheld?: string): Mend => ({
    policy: "hold",
    path,
    message,
    ...(withheld !== undefined && { withheld: withheld.slice(0, EXCERPT) }),
  })
  const mends: Mend[] = []
  if (tools !== undefined && tools !== partOf(sheet, "tools"))
    mends.push(
      hold(
        "tools",
        "The tools go out as they were first sent.",
        differing(partOf(sheet, "tools") ?? "", tools),
      ),
    )
  if (system !== undefined && system !== partOf(sheet, "system"))
    mends.push(
      hold(
        "system",
        "The system prompt goes out as it was first sent.",
        differing(partOf(sheet, "system") ?? "", system),
      ),
    )
  if (head !== undefined)
    mends.push(
      hold(
        `${sheet.listName}[0]`,
        "The system prompt goes out as it was first sent.",
        differing(sheet.items[0] ?? "", head[0] ?? ""),
      ),
    )
  let next = sheet.head
  for (const { from, frozen, withheld } of sent) {
    const path = `${sheet.listName}[${from < 0 ? next : from}]`
    // What the harness put in between later, or what was kept back, has no place in what was sent.
    for (; next < from; next++)
      mends.push(leftOut(`${sheet.listName}[${next}]`, sheet.items[next], isHolding))
    if (from >= 0) next = from + 1
    if (frozen === undefined || frozen === sheet.items[from]) continue
    if (withheld !== undefined)
      mends.push({
        policy: "mute",
        path,
        message: "A reminder that was kept back stays left out of this message.",
      })
    else if (from < 0) mends.push(hold(path, "What stood here before, or was told here, stays in its place."))
    else
      mends.push(
        hold(path, "This message goes out as it was first sent.", differing(sheet.items[from] ?? "", frozen)),
      )
  }
  for (; next < sheet.items.length; next++)
    mends.push(leftOut(`${sheet.listName}[${next}]`, sheet.items[next], isHolding))
  for (const one of statements)
    mends.push({
      policy: "hold",
      path: sheet.listName,
      message: `The model is told at the tail: ${one.about}.`,
      told: plainText([one]).slice(0, EXCERPT),
    })
  return mends
}

/** Lists what moved into tool results in a request, for people. */
export function smooshesOf({ sent }: Pick<Substitute, "sent">, { items, listName }: Sheet): readonly Mend[] {
  return sent.flatMap(({ from, frozen, smooshed: most }) => {
    const item = items[from]
    if (item === undefined || most === undefined) return []
    if (frozen === undefined && smooshed(item, most) === item) return []
    const message =
      "Reminders that follow tool results in this message go out inside the last of the results."
    return [{ policy: "smoosh", path: `${listName}[${from}]`, message }]
  })
}

function leftOut(path: string, item: string | undefined, isHolding: boolean): Mend {
  const message = isHolding
    ? "This message is not sent at this place: everything here was sent before, and what is new in it is told at the tail."
    : "This message is all reminders that are kept back."
  return {
    policy: isHolding ? "hold" : "mute",
    path,
    message,
    ...(item && { withheld: item.slice(0, EXCERPT) }),
  }
}

function differing(now: string, sent: string): string {
  return now.slice(Math.max(0, commonStart(now, sent) - 40))
}
