import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

/** How many rows beyond the visible ones are drawn. */
const BEYOND = 8

interface VirtualProps {
  readonly count: number
  /** The height of every row, in pixels. */
  readonly height: number
  readonly label: string
  /** The row to keep in view. */
  readonly at?: number
  readonly row: (index: number) => ComponentChildren
  /** Called with the first and the last row that are drawn, whenever they change. */
  readonly onShown?: (first: number, last: number) => void
}

/** Shows a list of which only the visible rows are in the document. */
export function Virtual({ count, height, label, at, row, onShown }: VirtualProps) {
  const box = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const [room, setRoom] = useState(600)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setRoom(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || at === undefined) return
    if (at * height < element.scrollTop) element.scrollTop = at * height
    else if ((at + 1) * height > element.scrollTop + element.clientHeight)
      element.scrollTop = (at + 1) * height - element.clientHeight
  }, [at, height])
  const first = Math.max(0, Math.floor(top / height) - BEYOND)
  const last = Math.min(count, Math.ceil((top + room) / height) + BEYOND)
  useEffect(() => {
    if (last > first) onShown?.(first, last - 1)
  }, [first, last])
  const shown = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i)
  return (
    <ul
      class="virtual"
      ref={box}
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <li class="spacer" aria-hidden="true" style={{ height: `${first * height}px` }} />
      {shown.map((index) => (
        <li key={index} style={{ height: `${height}px` }} aria-setsize={count} aria-posinset={index + 1}>
          {row(index)}
        </li>
      ))}
      <li class="spacer" aria-hidden="true" style={{ height: `${(count - last) * height}px` }} />
    </ul>
  )
}
