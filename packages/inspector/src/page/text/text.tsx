import { visible } from "./visible.js"

/** Shows a text from outside. It becomes text nodes and nothing else, and keeps its direction to itself. */
export function Text({ value }: { readonly value: string }) {
  return (
    <bdi>
      {visible(value).map((piece, i) =>
        "text" in piece ? (
          piece.text
        ) : (
          <span class="hidden-character" title={piece.name} key={i}>
            {piece.code}
          </span>
        ),
      )}
    </bdi>
  )
}
