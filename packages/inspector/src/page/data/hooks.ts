import { useEffect, useState } from "preact/hooks"
import { ServerRefusal } from "./reader.js"
import type { Rows } from "./rows.js"

export type Loaded<T> = { readonly value?: T; readonly error?: Error; readonly again: () => void }

/** How soon a server that does not answer is asked again, in milliseconds. */
const AGAIN = 1_000

/**
 * Loads what a promise brings. `keys` say when to ask anew; the old value stays until the new one is there. A server that does
 * not answer is asked again, so that its error goes away once it is back.
 */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: Error }>({ key: "" })
  const [count, setCount] = useState(0)
  const key = JSON.stringify(keys)
  useEffect(() => {
    let isCurrent = true
    load().then(
      (value) => isCurrent && setState({ key, value }),
      (error: unknown) =>
        isCurrent &&
        // Keep what was there: a lost connection does not justify an empty page.
        setState((before) => ({
          ...before,
          key,
          error: error instanceof Error ? error : new Error(String(error)),
        })),
    )
    return () => {
      isCurrent = false
    }
  }, [key, count])
  const isAway = state.error instanceof ServerRefusal && state.error.status === 0
  useEffect(() => {
    if (!isAway) return
    const timer = setTimeout(() => setCount((n) => n + 1), AGAIN)
    return () => clearTimeout(timer)
  }, [isAway, state.error])
  const again = () => setCount((n) => n + 1)
  return {
    ...(state.value !== undefined && { value: state.value }),
    ...(state.error && { error: state.error }),
    again,
  }
}

/** Draws again whenever rows come. */
export function useRows(rows: Rows): Rows {
  const [, setVersion] = useState(0)
  useEffect(() => {
    const stop = rows.subscribe(() => setVersion(rows.version))
    void rows.load()
    return stop
  }, [rows])
  return rows
}

/** Measures the width of an element, as it changes. */
export function useWidth(initial = 800): [(element: HTMLElement | null) => void, number] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState(initial)
  useEffect(() => {
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(200, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, width]
}
