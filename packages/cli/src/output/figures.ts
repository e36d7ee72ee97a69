let format: Intl.NumberFormat | undefined

export function whole(count: number): string {
  // Made at the first use: it takes longer than all else that a start loads with this file.
  format ??= new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 })
  return format.format(count)
}

export function counted(count: number, what: string): string {
  return `${whole(count)} ${what}${count === 1 ? "" : "s"}`
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`
}

/** Dollars. Fractions of a cent say no more than that there is hardly anything. */
export function dollars(amount: number): string {
  return amount < 0.01 ? "less than $0.01" : `$${amount.toFixed(2)}`
}
