const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })

export function whole(count: number): string {
  return WHOLE.format(count)
}

/** Writes a count as "12.3k", for places where the exact figure does not fit. */
export function short(count: number): string {
  if (count < 1_000) return whole(count)
  const [value, unit] = count < 1_000_000 ? [count / 1_000, "k"] : [count / 1_000_000, "M"]
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`
}

export function counted(count: number, what: string): string {
  return `${whole(count)} ${what}${count === 1 ? "" : "s"}`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`
}

/** Writes the share of what was sent that was read from the cache. */
export function hitRate({ sent, read }: { readonly sent: number; readonly read: number }): string {
  return sent === 0 ? "–" : percent(read / sent)
}

export function dollars(amount: number): string {
  if (amount === 0) return "$0"
  if (amount < 0.01) return `$${amount.toPrecision(2)}`
  return `$${amount.toFixed(2)}`
}

/** Writes money that may be worked out with the price of another model: "about $0.12". */
export function moneyText(amount: number, assumed: unknown): string {
  return assumed === undefined ? dollars(amount) : `about ${dollars(amount)}`
}

export function seconds(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function clock(at: number): string {
  return new Date(at).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  })
}

export function day(at: number): string {
  return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })
}
