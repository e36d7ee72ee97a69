import type { ComponentChildren } from "preact"
import { ServerRefusal } from "../data/reader.js"
import { Text } from "../text/text.js"

/** Shows what went wrong, and what to do about it. */
export function Trouble({ error }: { readonly error: Error }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <Text value={error.message} />
      </p>
      {error instanceof ServerRefusal && error.remedy && (
        <p class="quiet">
          <Text value={error.remedy} />
        </p>
      )}
    </div>
  )
}

/** Says that there is nothing at an address, and leads back to the list. */
export function Missing({ what }: { readonly what: string }) {
  return (
    <div class="page">
      <h1>Not found</h1>
      <p>
        <Text value={what} />
      </p>
      <p>
        <a href="#/">All sessions and recordings</a>
      </p>
    </div>
  )
}

export function Loading({ what = "Loading" }: { readonly what?: string }) {
  return (
    <p class="loading" role="status">
      {what}…
    </p>
  )
}

/** Shows a figure with its name. */
export function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Shows a short word in a box. The tone says how it is meant. */
export function Badge({
  tone = "plain",
  children,
}: {
  readonly tone?: "plain" | "good" | "warn" | "bad" | "told" | "accent"
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** Gives the colour of a reminder's kind: the same kind has the same colour everywhere. */
export function hueOf(kind: string): number {
  let hash = 0
  for (const unit of kind) hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 9_973
  return hash % 8
}

export function KindName({ kind }: { readonly kind: string }) {
  return (
    <span class={`kind hue-${hueOf(kind)}`}>
      <Text value={kind} />
    </span>
  )
}
