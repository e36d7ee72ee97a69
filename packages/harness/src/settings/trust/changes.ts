import { type DigestedItem, plainItem, sameness, type TrustItem } from "./item.js"

/** What changed since the user trusted the folder. `before`: the item it replaces. */
export interface TrustChange {
  /** "rules": an item that the list of rules around it makes mean something else. Its detail says how the list changed. */
  readonly is: "new" | "changed" | "gone" | "rules"
  readonly item: TrustItem
  readonly before?: TrustItem
}

/**
 * Tells how what a folder brings along differs from what the user saw. Compares what is shown: the digest of a rule
 * changes with the whole list of rules, and a rule that stayed has not changed to a reader.
 */
export function changesBetween(
  answered: readonly DigestedItem[],
  items: readonly DigestedItem[],
): readonly TrustChange[] {
  const [now, seen] = [new Set(items.map(sameness)), new Set(answered.map(sameness))]
  const fresh = items.filter((item) => !seen.has(sameness(item)))
  const stale = answered.filter((item) => !now.has(sameness(item)))
  const { other: unlikeBefore } = matched(fresh, stale, textOf)
  const { other: unlikeNow } = matched(stale, fresh, textOf)
  const replaced = byPlace(unlikeNow)
  const changes = unlikeBefore.map((item): TrustChange => {
    const before = replaced.get(placeOf(item))?.shift()
    return before === undefined
      ? { is: "new", item: plainItem(item) }
      : { is: "changed", item: plainItem(item), before: plainItem(before) }
  })
  const gone = [...replaced.values()]
    .flat()
    .map((item): TrustChange => ({ is: "gone", item: plainItem(item) }))
  const told = new Set([...unlikeBefore, ...unlikeNow].map(placeOf))
  return [...changes, ...gone, ...hiddenChanges(fresh, stale, told)]
}

/** Changes that the items themselves do not show. `told`: the places of which something is said already. */
function hiddenChanges(
  fresh: readonly DigestedItem[],
  stale: readonly DigestedItem[],
  told: ReadonlySet<string>,
): readonly TrustChange[] {
  const before = byPlace(stale)
  return [...byPlace(fresh)].flatMap(([place, [item, ...others]]): readonly TrustChange[] => {
    const old = before.get(place)
    if (item === undefined || old === undefined) return []
    const changed = (detail: string): TrustChange => ({ is: "rules", item: { ...plainItem(item), detail } })
    const rulesNow = [item, ...others].find(({ rules }) => rules !== undefined)?.rules
    const rulesBefore = old.find(({ rules }) => rules !== undefined)?.rules
    if (rulesNow !== undefined && rulesBefore !== undefined) {
      const notes = ruleChanges(rulesBefore, rulesNow)
      if (notes.length > 0) return notes.map(changed)
    }
    if (told.has(place)) return []
    if (item.what === "permission") return [changed("the rules around the ones above changed")]
    return [changed("the part of its text that is not shown changed")]
  })
}

const VERBS: Readonly<Record<string, string>> = { deny: "denies", ask: "asks" }

function ruleChanges(before: readonly string[], now: readonly string[]): readonly string[] {
  const then = matched(before, now, String)
  const later = matched(now, before, String)
  const isOrdered = then.same.every((rule, i) => later.same[i] === rule)
  return [
    ...then.other.flatMap((rule) => ruleNote(rule, "removed")),
    ...later.other.flatMap((rule) => ruleNote(rule, "added")),
    ...(isOrdered ? [] : ["the order of the rules changed"]),
  ]
}

/** Returns nothing for a rule that allows: that is an item of its own. */
function ruleNote(rule: string, how: "added" | "removed"): readonly string[] {
  const verb = VERBS[rule.split(" ", 1)[0] ?? ""]
  return verb === undefined ? [] : [`a rule that ${verb} was ${how}: ${rule}`]
}

/** Parts a list: entries that `others` has as well, one for one by key, and those that it does not have. */
function matched<T>(list: readonly T[], others: readonly T[], keyOf: (entry: T) => string) {
  const left = new Map<string, number>()
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1)
  const [same, other]: [T[], T[]] = [[], []]
  for (const entry of list) {
    const count = left.get(keyOf(entry)) ?? 0
    left.set(keyOf(entry), count - 1)
    if (count > 0) same.push(entry)
    else other.push(entry)
  }
  return { same, other }
}

function byPlace(items: readonly DigestedItem[]): Map<string, DigestedItem[]> {
  const places = new Map<string, DigestedItem[]>()
  for (const item of items) {
    const found = places.get(placeOf(item))
    if (found === undefined) places.set(placeOf(item), [item])
    else found.push(item)
  }
  return places
}

function placeOf({ what, where }: TrustItem): string {
  return `${what} ${where}`
}

function textOf(item: TrustItem): string {
  return `${placeOf(item)} ${item.detail}`
}
