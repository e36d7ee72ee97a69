import type { Bindings } from "../context.js"
import { spelled } from "../input/keys.js"
import { moveOf, PAGE_KEYS, type PageMove } from "../pages/page.js"
import { DEEDS } from "./deeds.js"

export function bindingsWith(own: OwnKeys = {}): Bindings {
  const deeds = DEEDS.map((deed) => {
    const keys = own[deed.name] ?? leftOf(deed.name, deed.keys, own)
    // A note about the usual keys says nothing of others.
    return keys === deed.keys
      ? deed
      : { ...deed, keys, ...(deed.shown !== undefined && { shown: keys.map(named).join(", ") }) }
  })
  const byKey = new Map(deeds.flatMap((deed) => deed.keys.map((key) => [key, deed] as const)))
  const moves = Object.fromEntries(
    Object.entries(PAGE_KEYS).map(([move, keys]) => [
      move,
      own[`page.${move}`] ?? leftOf(`page.${move}`, keys, own),
    ]),
  ) as Readonly<Record<PageMove, readonly string[]>>
  return {
    deeds,
    deedFor: (event) => byKey.get(spelled(event)),
    moveFor: (event) => moveOf(event, moves),
  }
}

function leftOf(action: string, usual: readonly string[], own: OwnKeys): readonly string[] {
  const left = usual.filter((key) => takerOf(key, action, own) === undefined)
  return left.length === usual.length ? usual : left
}

/** Writes "ctrl+r" as people do: Ctrl+R. */
export function named(key: string): string {
  return key
    .split("+")
    .map((part) => (part === "escape" ? "Esc" : part.charAt(0).toUpperCase() + part.slice(1)))
    .join("+")
}

/** Keys of the user's own, by what they do: `{"asides": ["ctrl+e"]}`. An empty list takes its keys away. */
export type OwnKeys = Readonly<Record<string, readonly string[]>>

export interface CheckedKeys {
  /** What of it can be used, spelled as keys are. */
  readonly keys: OwnKeys
  /** What cannot, and why, for people. */
  readonly problems: readonly string[]
}

const NAMES = "enter tab escape up down left right home end pageup pagedown delete backspace space".split(" ")
const MODIFIERS = ["ctrl", "alt", "shift"]

/** Terminals send the same byte for both. */
const SAME: Readonly<Record<string, string>> = { "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace" }

/** The way out is never without a key. */
const NEEDS_KEY = "interrupt-or-leave"

export function checkedKeys(given: OwnKeys): CheckedKeys {
  const problems: string[] = []
  const taken = new Map<string, string>()
  const checked = Object.entries(given).flatMap(([action, keys]): [string, readonly string[]][] => {
    if (!ACTIONS.includes(action)) {
      problems.push(`keys.${action}: there is no such action. There are: ${ACTIONS.join(", ")}.`)
      return []
    }
    const usable = keys.flatMap((written) => {
      const key = keyFrom(written)
      const wrong = problemWith(key, written, action, taken)
      if (wrong === undefined && key !== undefined) {
        taken.set(`${familyOf(action)}${key}`, action)
        return [key]
      }
      problems.push(`keys.${action}: ${wrong}`)
      return []
    })
    if (usable.length === 0 && (keys.length > 0 || action === NEEDS_KEY)) {
      if (keys.length === 0) problems.push(`keys.${action}: it needs a key, because it is the way out.`)
      return []
    }
    return [[action, usable]]
  })
  return {
    keys: Object.fromEntries(checked),
    problems: [...problems, ...losses(Object.fromEntries(checked))],
  }
}

const ACTIONS: readonly string[] = [
  ...DEEDS.map(({ name }) => name),
  ...Object.keys(PAGE_KEYS).map((move) => `page.${move}`),
]

function familyOf(action: string): string {
  return action.startsWith("page.") ? "page." : ""
}

function problemWith(
  key: string | undefined,
  written: string,
  action: string,
  taken: ReadonlyMap<string, string>,
): string | undefined {
  if (key === undefined)
    return `${JSON.stringify(written)} is no key. Write it as "ctrl+e", "alt+enter", "shift+tab", "pageup" or a character.`
  const same = SAME[key]
  if (same !== undefined) return `terminals send "${key}" as "${same}": choose another key.`
  const isTyped = [...key].length === 1 || key === "space"
  if (isTyped && familyOf(action) === "" && action !== "help")
    return `"${written}" is a character that is typed: add ctrl or alt.`
  const other = taken.get(`${familyOf(action)}${key}`)
  return other === undefined || other === action ? undefined : `"${key}" is for ${other} already.`
}

/** Lists the actions that lose all their usual keys to something else. */
function losses(own: OwnKeys): readonly string[] {
  const usual: readonly (readonly [string, readonly string[]])[] = [
    ...DEEDS.map(({ name, keys }) => [name, keys] as const),
    ...Object.entries(PAGE_KEYS).map(([move, keys]) => [`page.${move}`, keys] as const),
  ]
  return usual.flatMap(([action, keys]) => {
    if (own[action] !== undefined || keys.length === 0) return []
    const takers = keys.map((key) => takerOf(key, action, own))
    const [taker] = takers
    return takers.includes(undefined)
      ? []
      : [
          `keys.${taker}: "${keys[0]}" was the key for ${action}, which has none now. Give it one in keys.${action}.`,
        ]
  })
}

/** Finds which other action has taken a usual key of this one. */
function takerOf(key: string, action: string, own: OwnKeys): string | undefined {
  return Object.entries(own).find(
    ([name, keys]) => name !== action && familyOf(name) === familyOf(action) && keys.includes(key),
  )?.[0]
}

/** Spells a key as we do: modifiers first and in one order; undefined if the key does not exist. */
function keyFrom(written: string): string | undefined {
  const parts = written === "+" ? ["+"] : written.replace(/\+\+$/, "+plus").split("+")
  const base = parts.at(-1) === "plus" ? "+" : (parts.at(-1) ?? "")
  const modifiers = parts.slice(0, -1).map((part) => part.toLowerCase())
  if (modifiers.some((one) => !MODIFIERS.includes(one)) || new Set(modifiers).size < modifiers.length)
    return undefined
  const small = base.toLowerCase() === "esc" ? "escape" : base.toLowerCase()
  const isCharacter = [...base].length === 1 && base.trim() !== ""
  if (!isCharacter && !NAMES.includes(small)) return undefined
  // A capital is a character of its own.
  if (isCharacter && modifiers.length === 0) return base
  if (isCharacter && modifiers.length === 1 && modifiers[0] === "shift") return base.toUpperCase()
  return [...MODIFIERS.filter((one) => modifiers.includes(one)), small].join("+")
}
