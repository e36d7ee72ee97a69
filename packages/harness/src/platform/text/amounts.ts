const DAY_MS = 86_400_000
const DURATIONS: Readonly<Record<string, number>> = {
  h: DAY_MS / 24,
  d: DAY_MS,
  w: 7 * DAY_MS,
  y: 365 * DAY_MS,
}
const SIZES: Readonly<Record<string, number>> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 }

/** Reads "90d", "12h", "4w", "1y", or a number of days, in milliseconds; undefined for any other text. */
export function durationIn(text: string): number | undefined {
  const [, number = "", unit = "d"] = /^(\d+(?:\.\d+)?)\s*([hdwy]?)$/i.exec(text.trim()) ?? []
  return number === "" ? undefined : Number(number) * (DURATIONS[unit.toLowerCase() || "d"] ?? DAY_MS)
}

/** Reads "2GB", "500 MB", "1.5TB" or a number of bytes, in bytes; undefined for any other text. */
export function sizeIn(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?$/i.exec(text.trim()) ?? []
  const bytes = Number(number) * (SIZES[unit.toLowerCase()] ?? 1)
  return number === "" ? undefined : Math.round(/i/i.test(text) ? bytes * 1.024 ** powerOf(unit) : bytes)
}

function powerOf(unit: string): number {
  return " kmgt".indexOf(unit.toLowerCase() || " ")
}

/** Writes a size for people, such as "1.4 GB". */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"]
  let [value, unit] = [bytes, 0]
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`
}
