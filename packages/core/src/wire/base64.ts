/** True for base64 as the providers read it: padding may be missing, and lines may be broken. */
export function isBase64(text: string): boolean {
  // Without a copy: what comes here is often megabytes long, and only what encoders of mails write has line breaks.
  const data = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, "") : text
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) && data.replace(/=+$/, "").length % 4 !== 1
}
