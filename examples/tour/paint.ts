/** How a line is meant, whatever colour that is. */
export type Tone = "plain" | "dim" | "strong" | "reminder" | "user" | "title"

export type Paint = (text: string, tone: Tone) => string

const CODES: Readonly<Record<Tone, string>> = {
  plain: "",
  dim: "2",
  strong: "1",
  reminder: "33",
  user: "36",
  title: "1;35",
}

export const plain: Paint = (text) => text

export const coloured: Paint = (text, tone) =>
  CODES[tone] === "" || text === "" ? text : `\u001b[${CODES[tone]}m${text}\u001b[0m`

/** Colour where somebody looks at it, unless they said otherwise. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false") return coloured
  if (env.FORCE_COLOR !== undefined || (env.NO_COLOR ?? "") !== "") return plain
  return stream.isTTY === true ? coloured : plain
}
