/** The one thing core takes from the platform beyond the language: every runtime has it, and it is pure. */
declare class TextEncoder {
  encode(text: string): Uint8Array
}
