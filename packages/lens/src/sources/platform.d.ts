/** What the readers take from the platform beyond the language: every runtime has it, and it is pure. */
declare class TextDecoder {
  decode(bytes: Uint8Array): string
}

declare function atob(base64: string): string
