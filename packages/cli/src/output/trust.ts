import {
  type FolderTrust,
  printable,
  type TrustChange,
  type TrustItem,
  type TrustQuestion,
} from "@sotto/harness"

/** Writes one thing that needs trust on one line. Its fields hold no character that could hide something. */
export function itemText({ what, where, detail }: TrustItem): string {
  return `${what} (${where}): ${detail}`
}

export function leftOutLines({
  leftOut,
  changes,
}: Pick<FolderTrust, "leftOut" | "changes">): readonly string[] {
  if (leftOut.length === 0) return []
  const why = changes === undefined ? "is not trusted" : "has changed since you trusted it"
  return [
    ...(changes === undefined ? [] : ["sotto: what changed:", ...changes.flatMap(changeLines)]),
    `sotto: this folder ${why}. Left out:`,
    ...leftOut.map((item) => `  ${itemText(item)}`),
    "`sotto trust add` trusts the folder; --trust or SOTTO_TRUST=1 does so for one run.",
  ]
}

export function questionLines({ folder, items, changes }: TrustQuestion): readonly string[] {
  const head = `Do you trust ${printable(folder)}?`
  if (changes === undefined)
    return [head, "If you trust it, this takes effect:", ...items.map((item) => `  ${itemText(item)}`)]
  return [
    head,
    "You trusted it before. What it brings along has changed since:",
    ...changes.flatMap(changeLines),
    "If you trust it, this takes effect:",
    ...items.map((item) => `  ${itemText(item)}`),
  ]
}

function changeLines({ is, item, before }: TrustChange): readonly string[] {
  switch (is) {
    case "new":
      return [`  + ${itemText(item)}`]
    case "gone":
      return [`  - ${itemText(item)}`]
    case "rules":
      return [`  ! ${itemText(item)}`]
    case "changed":
      return [...(before ? [`  - ${itemText(before)}`] : []), `  + ${itemText(item)}`]
  }
}
