import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { neutralise, type Signal } from "@sotto/core"
import { onTestFinished } from "vitest"
import type { Access } from "../src/execution/permissions/access.js"
import { ToolError } from "../src/platform/text/errors.js"
import { locate } from "../src/platform/workspace/location.js"
import { KnownFiles } from "../src/tools/file-views/known-files.js"
import { type StandardToolsOptions, standardTools } from "../src/tools/standard.js"
import type { Output, ToolContext } from "../src/tools/tool.js"

/** A workspace in a temporary folder, and the tools at work in it. */
export async function workspace(options: StandardToolsOptions = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "sotto-tools-")))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const cwd = join(root, "work")
  await mkdir(cwd)
  const signals: Signal[] = []
  const facts = new Map<string, unknown>()
  const turn = new AbortController()
  const context: ToolContext = {
    call: "call-1",
    cwd,
    place: (path) => locate(path, cwd),
    agent: { name: "build" },
    judge: () => "allow",
    files: new KnownFiles(),
    scratch: join(root, "scratch"),
    abort: turn.signal,
    permit: async () => undefined,
    note: (signal) => signals.push({ ...signal }),
    observe: (key, value) => facts.set(key, value),
    progress: () => {},
  }
  const tools = new Map(standardTools(options).map((tool) => [tool.definition.name, tool]))
  const tool = (name: string) => {
    const found = tools.get(name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }

  return {
    root,
    cwd,
    context,
    turn,
    signals,
    facts,
    async put(path: string, content: string | Uint8Array) {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), content)
    },
    get: (path: string) => readFile(join(cwd, path), "utf8"),
    run: (name: string, input: Record<string, unknown>): Promise<Output> => tool(name).run(input, context),
    access: (name: string, input: Record<string, unknown>): Promise<readonly Access[]> =>
      tool(name).access(input, context),
    /** What the model sees of a text result: the engine neutralises it. */
    async see(name: string, input: Record<string, unknown>): Promise<string> {
      return neutralise(textOf(await tool(name).run(input, context))).text
    },
    /** The words with which a call is refused. */
    async refusal(name: string, input: Record<string, unknown>): Promise<string> {
      const outcome = await tool(name)
        .run(input, context)
        .catch((error: unknown) => error)
      if (outcome instanceof ToolError) return outcome.message
      throw new Error(`${name} was not refused: ${JSON.stringify(outcome)}`)
    },
  }
}

export function textOf({ content }: Output): string {
  if (typeof content === "string") return content
  return content.map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`)).join("\n")
}
