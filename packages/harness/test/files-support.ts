import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createSession, type Entry, restoreSession, type Session, type SessionOptions } from "@sotto/core"
import { onTestFinished } from "vitest"
import { openProjectRuntime, type ProjectRuntime } from "../src/session/open/project-runtime.js"
import { EditedFiles } from "../src/sources/files/edited.js"
import type { Source, SourceContext } from "../src/sources/source.js"
import { KnownFiles } from "../src/tools/file-views/known-files.js"

/** A directory with a workplace in it. */
export async function workplaceWith(files: Readonly<Record<string, string>> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-files-")))
  const cwd = join(root, "project")
  const path = (name: string) => join(cwd, name)
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content)
  }
  mkdirSync(cwd)
  for (const [name, content] of Object.entries(files)) put(name, content)
  const workplace = await openProjectRuntime({
    cwd,
    trust: true,
    env: { HOME: root, SOTTO_HOME: join(root, "home") },
  })
  onTestFinished(async () => {
    await workplace.close()
    rmSync(root, { recursive: true, force: true })
  })
  return { cwd, path, put, workplace, drop: (name: string) => rmSync(path(name)) }
}

/** A session of the store with the files that its model knows, driven by hand. */
export function actOn(
  workplace: ProjectRuntime,
  {
    id = "s",
    agent = "build",
    model = "anthropic/claude-opus-5-5",
    log,
  }: { id?: string; agent?: string; model?: string; log?: readonly Entry[] } = {},
) {
  const store = workplace.store()
  const files = new KnownFiles()
  const reports: string[] = []
  const options: SessionOptions = {
    agents: workplace.agents,
    agent,
    rules: workplace.rules,
    model: { id: model },
    now: () => 0,
    newId: () => id,
    onAppend: (entries) => {
      if (entries[0]?.type === "opened") void store.create({ cwd: workplace.cwd }, entries)
      else if (entries.every(({ type }) => type === "observed" || type === "noted"))
        store.appendLater(id, entries)
      else void store.append(id, entries)
    },
  }
  const session = log ? restoreSession(options, log) : createSession(options)
  const context: SourceContext = {
    cwd: workplace.cwd,
    session,
    files,
    isSubagent: false,
    agent: () => ({ name: agent }),
    judge: () => "allow",
    say: () => undefined,
    cancel: () => false,
    report: (message) => reports.push(message),
  } as Partial<SourceContext> as SourceContext
  const edited = new EditedFiles(context, workplace)
  files.onTouch((touch) => edited.touched(touch))
  return { session, context, workplace, files, edited, reports, step: () => step(session, edited) }
}

/** One boundary: what was added, as the model was told it; and the reply is one more call. */
export async function step(
  session: Session,
  edited: Pick<EditedFiles, "collect">,
  source?: Source,
): Promise<string> {
  if (session.phase === "idle") session.say("Go on.")
  await source?.collect?.(new AbortController().signal)
  await edited.collect()
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  const call = `c${session.log.length}`
  session.reply(next.request.id, {
    parts: [{ type: "tool-call", id: call, name: "read", input: {} }],
    stop: "tool-calls",
  })
  await edited.collect()
  session.result(call, "done")
  return session
    .asides(1)
    .map(({ kind, text }) => `${kind}: ${text}`)
    .filter((text) =>
      /^(edited_text_file|file|compact_file_reference|directory|agent_mention|mcp_resource|pdf_reference)/.test(
        text,
      ),
    )
    .join("\n")
}
