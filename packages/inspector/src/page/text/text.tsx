import { type Block, type InlinePart, parseInline, parseMarkdown } from "./markdown.js"
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

/** Shows Markdown from outside. It becomes elements of the page's own making; links lead nowhere. */
export function Markdown({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // A long one scrolls, also by keyboard.
    <div class="markdown" role="region" aria-label={label} tabIndex={0}>
      <Blocks blocks={parseMarkdown(text)} />
    </div>
  )
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, i) => (
        <OneBlock key={i} block={block} />
      ))}
    </>
  )
}

function OneBlock({ block }: { readonly block: Block }) {
  switch (block.is) {
    case "heading": {
      // The page itself has the first level.
      const Heading = `h${Math.min(6, block.level + 1)}` as "h2"
      return (
        <Heading>
          <Line text={block.text} />
        </Heading>
      )
    }
    case "text":
      return (
        <p>
          <Line text={block.text} />
        </p>
      )
    case "code":
      return (
        <pre>
          <Text value={block.text} />
        </pre>
      )
    case "rule":
      return <hr />
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case "list": {
      const items = block.items.map((item, i) => (
        <li key={i}>
          <Blocks blocks={item} />
        </li>
      ))
      return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
    }
    case "table":
      return (
        <table>
          <thead>
            <tr>
              {block.head.map((cell, i) => (
                <th scope="col" key={i}>
                  <Line text={cell} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j}>
                    <Line text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )
  }
}

function Line({ text }: { readonly text: string }) {
  return <Inlines parts={parseInline(text)} />
}

function Inlines({ parts }: { readonly parts: readonly InlinePart[] }) {
  return (
    <>
      {parts.map((part, i) => {
        switch (part.is) {
          case "text":
            return <Text key={i} value={part.text} />
          case "code":
            return (
              <code key={i}>
                <Text value={part.text} />
              </code>
            )
          case "link":
            return (
              <span key={i}>
                <Inlines parts={part.parts} />{" "}
                <span class="quiet">
                  (<Text value={part.to} />)
                </span>
              </span>
            )
          default: {
            const Tag = part.is
            return (
              <Tag key={i}>
                <Inlines parts={part.parts} />
              </Tag>
            )
          }
        }
      })}
    </>
  )
}
