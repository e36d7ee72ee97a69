import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Entry, ToolCallPart } from "@sotto/core"
import { dataFolder } from "../folders.js"
import { wrap as sandboxArgv } from "../permissions/index.js"
import { Collector } from "../sources/collector.js"
import type { Stage } from "../sources/source.js"
import { openSources } from "../sources/sources.js"
import { bashTool } from "../tools/bash.js"
import { BackgroundTasks, standardTools } from "../tools/index.js"
import { KnownFiles } from "../tools/known-files.js"
import type { Tool, ToolContext } from "../tools/tool.js"
import { Conversation } from "./conversation.js"
import { Grants, gateFor } from "./gate.js"
import type { OpenConversation, OpenOptions } from "./opening.js"
import { ownTools } from "./own-tools.js"
import { modelOf, openSession } from "./stored-session.js"
import { delegateTo, type Helper } from "./subagents.js"
import { summarise } from "./summarise.js"

/** Brings a session to life, new or stored, with everything that it needs to run. */
export async function openConversation(options: OpenOptions): Promise<OpenConversation> {
  const { workplace, desk, emit, yes, parent } = options
  const { cwd, env, config, agents } = workplace
  const fresh: Entry[] = []
  const tasks = new BackgroundTasks()
  const files = new KnownFiles()
  const grants = new Grants()
  const helpers = new Set<Helper>()
  const scratch = join(dataFolder(env), "output")
  const report = (message: string) => emit({ type: "error", message })

  const agentNow = (): Agent => agents.find(({ name }) => name === session.agent) ?? (agents[0] as Agent)
  const gate = gateFor(agentNow, parent?.gate, grants)
  const tools = new Map<string, Tool>()
  const contained = new Map<string, Tool>()
  const own = ownTools(
    {
      session: () => session,
      desk,
      skills: workplace.skills,
      switchAgent: (name) => conversation.switchAgent(name),
      delegate: (...work) =>
        delegateTo(
          {
            ...options,
            open: openConversation,
            model: modelOf(session),
            helpers,
            conversation: () => conversation,
            gate,
          },
          ...work,
        ),
    },
    config.snip ?? false,
  )
  for (const tool of [...standardTools({ tasks }), ...own]) tools.set(tool.definition.name, tool)
  // Only a gate that has found a sandbox lets a call in here, so that it is known by then.
  contained.set("bash", bashTool({ tasks, wrap: (command) => sandboxArgv(command, { cwd }) }))

  const session = openSession(
    options,
    [...tools.values()].map(({ definition }) => definition),
    fresh,
  )
  const stage: Stage = {
    workplace,
    session,
    files,
    isSubagent: parent !== undefined,
    agent: agentNow,
    say: (content, how) => conversation.say(content, how),
    cancel: (id) => conversation.cancel(id),
    report,
  }
  const sources = openSources(stage)
  const collector = new Collector(sources, report, config.collectTimeout)
  files.onTouch((touch) => {
    for (const source of sources) source.touched?.(touch)
  })
  const conversation = new Conversation({
    session,
    fresh,
    link: workplace.models,
    desk,
    emit,
    model: workplace.modelNamed(options.model ?? (options.session && modelOf(session))),
    modelOf: (name) => {
      const own = agents.find((agent) => agent.name === name)?.model
      return own === undefined ? undefined : workplace.modelNamed(own)
    },
    sources,
    collect: () => collector.collect(),
    summarise: (_, abort) => summarise(session, workplace, workplace.models, modelOf(session), abort),
    workshop: {
      tools,
      contained,
      gate,
      grants,
      desk,
      yes,
      contextFor: (call: ToolCallPart, abort: AbortSignal): ToolContext => ({
        cwd,
        agent: agentNow(),
        files,
        scratch: madeFolder(scratch),
        abort,
        note: (signal) => session.note(signal),
        observe: (key, value) => session.observe(key, value),
        progress: (line) => emit({ type: "progress", id: call.id, line }),
      }),
    },
  })
  const stopListening = tasks.onFinish(({ id, command, output, ending }) => {
    if (ending === undefined) return
    const how = ending.code === 0 ? "finished" : `ended with ${ending.code ?? ending.signal ?? "an error"}`
    const text = `The command ${JSON.stringify(command)} (${id}) ${how}. Its output is in ${output}.`
    conversation.say(text, { origin: { kind: "task-notification" } })
  })
  return {
    conversation,
    gate,
    settled: async (signal) => {
      const left = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true })
      })
      await conversation.wake()
      while (helpers.size > 0 && !signal.aborted) {
        await Promise.race([left, ...[...helpers].map(({ done }) => done)])
        await conversation.wake()
      }
    },
    close: async () => {
      stopListening()
      const working = [...helpers]
      for (const { stop } of working) stop()
      await Promise.all(working.map(({ done }) => done))
      await tasks.stopAll()
      await collector.close()
      workplace.store().release(session.id)
    },
  }
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}
