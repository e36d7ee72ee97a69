import { useEffect, useState } from "preact/hooks"
import type { CutText, ToolUse } from "../../contract.js"
import { Sides } from "../breaks/sides.js"
import { useLoaded } from "../data/hooks.js"
import { hashOf } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Badge, Loading, Trouble } from "../shell/parts.js"
import { Text } from "../text/text.js"

interface PanelProps {
  readonly n: number
  readonly onClose: () => void
}

/** Shows what the model did at a step: each call with its arguments, the changes of files, and the result. */
export function ToolPanel({ n, onClose }: PanelProps) {
  const { reader, subject, rows, live, word } = useShown()
  const isNewest = n === rows.total
  const loaded = useLoaded(
    async () => ({ n, ...(await reader.tools(subject, n)) }),
    [subject.id, n, isNewest ? live.stale : 0],
  )
  const found = loaded.value?.n === n ? loaded.value.tools : undefined
  const row = rows.all[n - 1]
  return (
    <aside class="tool-panel" aria-label={`Tools of ${word} ${n}`}>
      <div class="toolbar">
        <h2>
          <a href={hashOf({ at: "step", subject, n })}>
            {word} {n}
          </a>
        </h2>
        <span class="grow" />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {row?.said && (
        <p>
          <Text value={row.said} />
        </p>
      )}
      {loaded.error && <Trouble error={loaded.error} />}
      {!found && !loaded.error && <Loading />}
      {found?.length === 0 && <p class="quiet">The model called no tool.</p>}
      {found?.map((tool) => (
        <OneTool key={`${n}:${tool.id}`} n={n} tool={tool} />
      ))}
    </aside>
  )
}

function OneTool({ n, tool: short }: { readonly n: number; readonly tool: ToolUse }) {
  const { reader, subject } = useShown()
  const [all, setAll] = useState<ToolUse | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  // A result that has come since is not in what was fetched whole before.
  useEffect(() => setAll(undefined), [short])
  const tool = all ?? short
  const { name, input, changes, result } = tool
  const fetchAll = async () => {
    try {
      const { tools } = await reader.tools(subject, n, short.id)
      setAll(tools[0])
      setError(undefined)
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)))
    }
  }
  return (
    <article class="tool-use">
      <h3>
        <span class={result?.error ? "tool failed" : "tool"}>
          <Text value={name} />
        </span>{" "}
        {result?.error && <Badge tone="bad">failed</Badge>}
      </h3>
      {changes.map(({ path, before, after, cut }, i) => (
        <section key={i} aria-label={`Change of ${path}`}>
          <h4>
            {before === undefined ? "writes " : "changes "}
            <code>
              <Text value={path} />
            </code>
          </h4>
          {before === undefined ? (
            <Cut of={{ text: after, ...(cut && { cut }) }} onAll={fetchAll} />
          ) : (
            <>
              <Sides before={["before", before]} after={["after", after]} />
              {cut && <ShowAll onAll={fetchAll} />}
            </>
          )}
        </section>
      ))}
      <details open={changes.length === 0}>
        <summary>Arguments</summary>
        <Cut of={input} onAll={fetchAll} />
      </details>
      <h4>Result</h4>
      {result ? <Cut of={result} onAll={fetchAll} /> : <p class="quiet">None yet.</p>}
      {error && <Trouble error={error} />}
    </article>
  )
}

function Cut({ of, onAll }: { readonly of: CutText; readonly onAll: () => Promise<void> }) {
  return (
    <>
      <pre>
        <Text value={of.text} />
        {of.cut && "…"}
      </pre>
      {of.cut && <ShowAll onAll={onAll} />}
    </>
  )
}

function ShowAll({ onAll }: { readonly onAll: () => Promise<void> }) {
  return (
    <button type="button" class="link" onClick={() => void onAll()}>
      Show all of it
    </button>
  )
}
