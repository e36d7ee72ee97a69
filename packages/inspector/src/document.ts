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

/** The page with its data in one file that needs nothing else, not even a server. */
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

/** The page's own code has this code in it, so that the end of an element must not stand here. */
function element(name: string, attributes: string, content: string): string {
  return `<${name}${attributes}>${content}</${name}>`
}

/** JSON in which nothing can end the element that it stands in: it reads as the same JSON. */
export function inert(json: string): string {
  return json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")
}

/** Code or style in which nothing ends its element: no bundle of ours has this, and a hash would not fit a changed one. */
export function isInlineable(text: string): boolean {
  return !/<[/](?:script|style)|<!--/i.test(text)
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
