/** Caps what a reminder quotes, and says so. */

export function clip(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most)}\n[cut: ${most} of ${text.length} characters are shown]`
}

export function listed(lines: readonly string[], most: number): string {
  if (lines.length <= most) return lines.join("\n")
  return [...lines.slice(0, most), `[and ${lines.length - most} more]`].join("\n")
}
