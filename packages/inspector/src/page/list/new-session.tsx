import { useRef, useState } from "preact/hooks"
import { useLoaded } from "../data/hooks.js"
import type { DataReader } from "../data/reader.js"
import type { PageRoute } from "../route/route.js"
import { Trouble } from "../shell/parts.js"

interface Props {
  readonly reader: DataReader
  readonly go: (route: PageRoute) => void
}

/** Starts a session: where it works, with which model and agent, and what it is asked first. */
export function NewSession({ reader, go }: Props) {
  const { value } = useLoaded(() => reader.sessions(), [])
  const known = value?.sessions ?? []
  const [cwd, setCwd] = useState<string | undefined>(undefined)
  const [model, setModel] = useState("")
  const [agent, setAgent] = useState("")
  const [prompt, setPrompt] = useState("")
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<Error | undefined>(undefined)
  // A second try after a failed prompt goes to the session that the first one opened.
  const opened = useRef<{ readonly id: string; readonly message: string } | undefined>(undefined)
  const folder = cwd ?? known[0]?.cwd ?? ""
  const start = async () => {
    setSending(true)
    try {
      if (opened.current === undefined) {
        const body = { cwd: folder, ...(model && { model }), ...(agent && { agent }) }
        const { id } = (await reader.send("POST", "/sessions", body)) as { readonly id: string }
        opened.current = { id, message: `page-${crypto.randomUUID()}` }
      }
      const { id, message } = opened.current
      if (prompt.trim() !== "")
        await reader.send("POST", `/sessions/${encodeURIComponent(id)}/say`, { text: prompt, id: message })
      go({ at: "timeline", subject: { type: "session", id } })
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)))
      setSending(false)
    }
  }
  const options = (id: string, values: readonly string[]) => (
    <datalist id={id}>
      {[...new Set(values)].map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
  return (
    <div class="page">
      <h1>New session</h1>
      {error && <Trouble error={error} />}
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <label>
          Folder
          <input
            list="folders"
            value={folder}
            required
            placeholder="/home/me/project"
            onInput={(event) => setCwd(event.currentTarget.value)}
          />
        </label>
        <label>
          Model
          <input
            list="models"
            value={model}
            placeholder="as the configuration says"
            onInput={(event) => setModel(event.currentTarget.value)}
          />
        </label>
        <label>
          Agent
          <input
            list="agents"
            value={agent}
            placeholder="as the configuration says"
            onInput={(event) => setAgent(event.currentTarget.value)}
          />
        </label>
        <label>
          First prompt
          <textarea
            rows={5}
            value={prompt}
            placeholder="It can also come later."
            onInput={(event) => setPrompt(event.currentTarget.value)}
          />
        </label>
        {options(
          "folders",
          known.map((one) => one.cwd),
        )}
        {options(
          "models",
          known.map((one) => one.model),
        )}
        {options("agents", ["build", "plan", ...known.map((one) => one.agent)])}
        <div class="answers">
          <button type="submit" class="primary" disabled={isSending || folder === ""}>
            {isSending ? "Starting…" : "Start"}
          </button>
          <a class="button" href="#/">
            Back to the list
          </a>
        </div>
      </form>
    </div>
  )
}
