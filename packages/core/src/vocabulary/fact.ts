import { type Json, sameJson, sortKeys } from "./json.js"

/** A keyed value that holds until it changes. What cannot be read now is not the same as what is gone. */
export type Fact =
  | { readonly is: "known"; readonly value: Json }
  | { readonly is: "unavailable"; readonly last?: Json }
  | { readonly is: "removed" }

const UNAVAILABLE = Symbol("unavailable")
const REMOVED = Symbol("removed")

/** Marks a value for `observe` as unreadable at the moment; the last one is kept and nothing is said. */
export function unavailable(): typeof UNAVAILABLE {
  return UNAVAILABLE
}

/** Marks a value for `observe` as gone for good, which is said once. */
export function removed(): typeof REMOVED {
  return REMOVED
}

/** What `observe` takes in place of a value. */
export type Absent = typeof UNAVAILABLE | typeof REMOVED

/** True if it says that a value is missing, rather than being one. */
export function isAbsent(value: unknown): value is Absent {
  return value === UNAVAILABLE || value === REMOVED
}

/** Makes the fact of an observation and of what was known so far. */
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

/** Gives the value to go by: the present one, or the last that could be read. */
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

/** Writes a fact as a person would: a text as it is, anything else as JSON. */
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

  /** Gives the step after which it was observed; 0 if it never was. */
  since(key: string): number {
    return this.#byKey.get(key)?.step ?? 0
  }

  set(key: string, fact: Fact, step: number): void {
    this.#byKey.set(key, { fact, step })
    for (const family of familiesOf(key)) this.#families.delete(family)
  }

  /** Copies the facts with one changed; returns the very same if nothing changes. */
  with(key: string, fact: Fact | undefined, step: number): Facts {
    return fact === undefined ? this : new Facts([...this.#byKey, [key, { fact, step }]])
  }

  /** Takes the given families back to an earlier time; the rest holds on. */
  asOf(then: Facts, families: readonly string[], step: number): Facts {
    const goesBack = (key: string) => familiesOf(key).some((family) => families.includes(family))
    return new Facts([
      ...[...this.#byKey]
        .filter(([key]) => !goesBack(key))
        .map(([key, { fact, step: since }]) => [key, { fact, step: Math.min(since, step) }] as const),
      ...[...then.#byKey].filter(([key]) => goesBack(key)),
    ])
  }

  /** Lists a family, sorted by key, so that the order of discovery changes nothing. */
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

/** Lists the families of a key: "tools:github:issues" is of itself, of "tools:github" and of "tools". */
function familiesOf(key: string): readonly string[] {
  const families = [key]
  for (let end = key.lastIndexOf(":"); end > 0; end = key.lastIndexOf(":", end - 1))
    families.push(key.slice(0, end))
  return families
}
