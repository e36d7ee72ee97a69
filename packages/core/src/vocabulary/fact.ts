import { type Json, sameJson, sortKeys } from "./json.js"

/** A keyed value that holds until it changes. What cannot be read now is not the same as what is gone. */
export type Fact =
  | { readonly is: "known"; readonly value: Json }
  | { readonly is: "unavailable"; readonly last?: Json }
  | { readonly is: "removed" }

const UNAVAILABLE = Symbol("unavailable")
const REMOVED = Symbol("removed")

/** For `observe`: the value cannot be read at the moment; the last one is kept and nothing is said. */
export function unavailable(): typeof UNAVAILABLE {
  return UNAVAILABLE
}

/** For `observe`: the value is gone for good, which is said once. */
export function removed(): typeof REMOVED {
  return REMOVED
}

/** What `observe` takes in place of a value. */
export type Absent = typeof UNAVAILABLE | typeof REMOVED

/** Whether it says that there is no value, rather than being one. */
export function isAbsent(value: unknown): value is Absent {
  return value === UNAVAILABLE || value === REMOVED
}

/** What an observation makes of the fact known so far. */
export function observed(value: Json | Absent, before: Fact | undefined): Fact {
  if (value === REMOVED) return { is: "removed" }
  if (value === UNAVAILABLE) {
    const last = before === undefined ? undefined : lastValue(before)
    return last === undefined ? { is: "unavailable" } : { is: "unavailable", last }
  }
  return { is: "known", value: sortKeys(value) }
}

export function sameFact(a: Fact | undefined, b: Fact): boolean {
  return a !== undefined && a.is === b.is && sameJson(lastValue(a), lastValue(b))
}

/** The value to go by: the present one, or the last that could be read. */
export function lastValue(fact: Fact): Json | undefined {
  switch (fact.is) {
    case "known":
      return fact.value
    case "unavailable":
      return fact.last
    case "removed":
      return undefined
  }
}

/** A fact as a person would write it: a text as it is, anything else as JSON. */
export function factText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value)
}

interface Observed {
  readonly fact: Fact
  readonly step: number
}

type Listed = readonly (readonly [string, Fact])[]

/** Facts by key, and by family: "instructions:AGENTS.md" is of the family "instructions". */
export class Facts {
  readonly #byKey: Map<string, Observed>
  /** Of each family that was asked for: its facts in order. Asked for at every boundary, changed seldom. */
  readonly #families = new Map<string, Listed>()

  constructor(entries: Iterable<readonly [string, Observed]> = []) {
    this.#byKey = new Map(entries)
  }

  get(key: string): Fact | undefined {
    return this.#byKey.get(key)?.fact
  }

  /** The step after which it was observed; 0 if it never was. */
  since(key: string): number {
    return this.#byKey.get(key)?.step ?? 0
  }

  set(key: string, fact: Fact, step: number): void {
    this.#byKey.set(key, { fact, step })
    for (const family of familiesOf(key)) this.#families.delete(family)
  }

  /** The same facts but for one; the very same if there is none to change. */
  with(key: string, fact: Fact | undefined, step: number): Facts {
    return fact === undefined ? this : new Facts([...this.#byKey, [key, { fact, step }]])
  }

  /** These facts as of an earlier time: what belongs to the given families goes back, the rest holds on. */
  asOf(then: Facts, families: readonly string[], step: number): Facts {
    const goesBack = (key: string) => familiesOf(key).some((family) => families.includes(family))
    return new Facts([
      ...[...this.#byKey]
        .filter(([key]) => !goesBack(key))
        .map(([key, { fact, step: since }]) => [key, { fact, step: Math.min(since, step) }] as const),
      ...[...then.#byKey].filter(([key]) => goesBack(key)),
    ])
  }

  /** Sorted by key, so that the order of discovery changes nothing. */
  family(name: string): Listed {
    const known = this.#families.get(name)
    if (known !== undefined) return known
    const prefix = `${name}:`
    const found: (readonly [string, Fact])[] = []
    for (const [key, { fact }] of this.#byKey)
      if (key === name || key.startsWith(prefix)) found.push([key, fact])
    found.sort(([a], [b]) => (a < b ? -1 : 1))
    this.#families.set(name, found)
    return found
  }
}

/** "tools:github:issues" is of the families "tools:github:issues", "tools:github" and "tools". */
function familiesOf(key: string): readonly string[] {
  const families = [key]
  for (let end = key.lastIndexOf(":"); end > 0; end = key.lastIndexOf(":", end - 1))
    families.push(key.slice(0, end))
  return families
}
