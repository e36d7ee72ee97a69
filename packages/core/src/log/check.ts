import { SottoError } from "../vocabulary/errors.js"
import { instant, isObject, object, type Shape, should } from "../vocabulary/shape.js"
import { type Entry, LOG_VERSION } from "./entry.js"
import { ENTRY_FIELDS } from "./entry-shape.js"

/** The first entry of a log that cannot be taken as it was meant, and why. */
export interface Damage {
  /** Its place in the log, from 0. */
  readonly entry: number
  /** The field to blame, if one is, and what is wrong. */
  readonly why: string
  /** A Sotto that is newer than this one may be able to read it. */
  readonly newer: boolean
}

const SHAPES = new Map<string, Shape>(
  Object.entries(ENTRY_FIELDS).map(([type, fields]) => [type, object(fields)]),
)

/** Looks at every field of every entry. Returns undefined for a log that can be restored. */
export function findDamage(log: readonly unknown[]): Damage | undefined {
  const order = new Order()
  for (const [i, found] of log.entries()) {
    const damage = shapeDamage(found, i) ?? order.damage(found as Entry, i)
    if (damage !== undefined) return damage
  }
  return undefined
}

/** Refuses a log that cannot be restored as it was meant. */
export function checkLog(log: readonly Entry[]): void {
  if (!Array.isArray(log))
    throw new SottoError(
      "bad-input",
      `log${should("a list", log)}.`,
      "Pass the entries of one session, in order.",
    )
  const damage = findDamage(log)
  if (damage === undefined) return
  const { entry, why, newer } = damage
  if (newer)
    throw new SottoError(
      "newer-log",
      `This Sotto cannot read entry ${entry} of the log: ${why}.`,
      "Open it with the version of Sotto that wrote it, or with a newer one. Nothing was changed.",
    )
  throw new SottoError(
    "damaged-log",
    `The log is damaged at entry ${entry}: ${why}.`,
    "Restore it whole and in order, or only the entries before that one.",
  )
}

function shapeDamage(found: unknown, entry: number): Damage | undefined {
  const damaged = (why: string): Damage => ({ entry, why, newer: false })
  if (!isObject(found)) return damaged("it is no object")
  const { type, seq, at, version } = found
  if (entry === 0 && type !== "opened")
    return damaged(
      `it begins with ${typeof type === "string" ? `"${type}"` : "no type"} and not with "opened"`,
    )
  // Before all else: the other fields of a newer log may be other ones.
  if (type === "opened" && Number.isSafeInteger(version) && Number(version) > LOG_VERSION)
    return {
      entry,
      why: `it is of version ${version}, and this Sotto reads up to ${LOG_VERSION}`,
      newer: true,
    }
  if (typeof type !== "string") return damaged(`type${should("a text", type)}`)
  const shape = SHAPES.get(type)
  if (shape === undefined)
    return {
      entry,
      why: `it is no entry of a log of version ${LOG_VERSION}: its type is ${JSON.stringify(type)}`,
      newer: true,
    }
  if (seq !== entry)
    return damaged(`its number is ${typeof seq === "number" ? seq : "none"} and should be ${entry}`)
  const time = instant(at)
  if (time !== undefined) return damaged(`at${time}`)
  const wrong = shape(found)
  return wrong === undefined ? undefined : damaged(wrong.slice(1))
}

/** What an entry says about those before it. */
class Order {
  readonly #said = new Set<string>()
  readonly #steps = new Set<number>()

  damage(found: Entry, entry: number): Damage | undefined {
    const damaged = (why: string): Damage => ({ entry, why, newer: false })
    switch (found.type) {
      case "opened":
        return entry === 0 ? undefined : damaged("the session is opened a second time")
      case "said":
        if (this.#said.has(found.id)) return damaged(`id is "${found.id}", as that of an earlier message`)
        this.#said.add(found.id)
        return undefined
      case "step":
        if (this.#steps.size === 0 && found.epoch === undefined)
          return damaged("epoch is missing in the first step")
        this.#steps.add(entry)
        return undefined
      case "rewound":
        return this.#steps.has(found.step) ? undefined : damaged(`step is ${found.step}, which is no step`)
      case "redone":
        return found.before > 0 && found.before < entry
          ? undefined
          : damaged(`before is ${found.before}, which is no entry before it`)
      default:
        return undefined
    }
  }
}
