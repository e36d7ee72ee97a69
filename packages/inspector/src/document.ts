/** What the page that `sotto serve` sends may do: nothing but run its own files and talk to its own server. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export interface DocumentParts {
  readonly title: string
  /** The page's own code and style, and the SHA-256 of each in base64. */
  readonly script: string
  readonly scriptHash: string
  readonly style: string
  readonly styleHash: string
  /** JSON. */
  readonly data: string
}

/** Makes one file of the page and its data. The file needs nothing else, not even a server. */
export function documentOf({ title, script, scriptHash, style, styleHash, data }: DocumentParts): string {
  const policy = `default-src 'none'; script-src 'sha256-${scriptHash}'; style-src 'sha256-${styleHash}'; img-src blob: data:; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(title)}</title>
${element("style", "", style)}
</head>
<body>
<div id="page"></div>
${element("script", ' type="application/json" id="data"', inert(data))}
${element("script", ' type="module"', script)}
</body>
</html>
`
}

/**
 * Builds an element with its name inserted: the page's own code contains this code, so the literal end of an element
 * must not stand here.
 */
function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes}>${content}</${name}>`
}

/** Escapes JSON so that nothing in it can end the element that it stands in. It reads as the same JSON. */
export function inert(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
}

/**
 * True if nothing in the code or style ends its element. No bundle of ours does so, and a hash would not fit a changed
 * one.
 */
export function isInlineable(text: string): boolean {
  return !/<[/](?:script|style)|<!--/i.test(text)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
