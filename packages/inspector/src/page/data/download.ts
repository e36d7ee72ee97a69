/** Saves a file that the page has made. */
export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content
  const url = URL.createObjectURL(blob)
  const link = document.createElement("a")
  link.href = url
  link.download = name.replaceAll(/[^\w.-]+/g, "-")
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
