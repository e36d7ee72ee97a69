import { useLoaded } from "../data/hooks.js"
import { hashOf, type PageRoute } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Loading, Trouble } from "../shell/parts.js"
import { counted } from "../text/figures.js"
import { Text } from "../text/text.js"

/** Shows where a text stands: each hit leads to the segment that brought it. */
export function Search({ route: { q } }: { readonly route: Extract<PageRoute, { at: "search" }> }) {
  const { reader, subject, word } = useShown()
  const loaded = useLoaded(
    () => (q.trim() === "" ? Promise.resolve({ hits: [], more: false }) : reader.search(subject, q)),
    [subject.id, q],
  )
  const { value, error } = loaded
  return (
    <div class="page search">
      <h1>Search</h1>
      {error && <Trouble error={error} />}
      {!value && !error && <Loading what="Searching" />}
      {value && (
        <p role="status" class="quiet">
          {counted(value.hits.length, "hit")}
          {value.more && ", and more"} for “<Text value={q} />”
        </p>
      )}
      <ul class="hits">
        {value?.hits.map(({ n, path, role, excerpt }) => (
          <li key={`${n}:${path}`}>
            <a href={hashOf({ at: "step", subject, n, path })}>
              {word} {n}
            </a>{" "}
            <span class="quiet">
              <Text value={role} />
            </span>{" "}
            <code class="quiet path">
              <Text value={path} />
            </code>
            <p>
              <Found text={excerpt} wanted={q} />
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Found({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  const at = text.toLowerCase().indexOf(wanted.toLowerCase())
  if (at < 0) return <Text value={text} />
  return (
    <>
      <Text value={text.slice(0, at)} />
      <mark>
        <Text value={text.slice(at, at + wanted.length)} />
      </mark>
      <Text value={text.slice(at + wanted.length)} />
    </>
  )
}
