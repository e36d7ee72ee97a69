/** What core takes from the platform beyond the language. Every runtime has it. This one is pure. */
declare class TextEncoder {
  encode(text: string): Uint8Array
}

/** What `drive` cuts model calls and tools short with. The engine itself is synchronous and has no use for it. */
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: "abort", listener: () => void): void
  removeEventListener(type: "abort", listener: () => void): void
}

declare class AbortController {
  readonly signal: AbortSignal
  abort(): void
}
