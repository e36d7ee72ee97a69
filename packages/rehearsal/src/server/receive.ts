import type { IncomingMessage } from "node:http"

export type Received =
  | { readonly is: "json"; readonly body: unknown }
  | { readonly is: "too-large" }
  | { readonly is: "not-json"; readonly why: string }

/** The body of a request. What is too large is read to its end all the same, so that the answer can be heard. */
export async function receive(request: IncomingMessage, limit: number): Promise<Received> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > limit) return { is: "too-large" }
  try {
    return { is: "json", body: JSON.parse(Buffer.concat(chunks).toString("utf8")) }
  } catch (cause) {
    return { is: "not-json", why: cause instanceof Error ? cause.message : String(cause) }
  }
}
