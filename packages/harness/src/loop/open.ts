import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import {
  type Agent,
  createSession,
  type Entry,
  restoreSession,
  type Session,
  type SessionOptions,
  type ToolCallPart,
} from "@sotto/core"
import { dataFolder } from "../folders.js"
import { wrap as sandboxArgv } from "../permissions/index.js"
import { observeEnvironment } from "../prompt/environment.js"
import { Instructions } from "../prompt/instructions.js"
import { skillsFact } from "../prompt/skills.js"
import { bashTool } from "../tools/bash.js"
import { BackgroundTasks, standardTools } from "../tools/index.js"
import { KnownFiles } from "../tools/known-files.js"
import type { Tool, ToolContext } from "../tools/tool.js"
import { Conversation } from "./conversation.js"
import { Grants, gateFor } from "./gate.js"
import type { OpenConversation, OpenOptions } from "./opening.js"
import { ownTools } from "./own-tools.js"
import { delegateTo, type Helper } from "./subagents.js"
import { summarise } from "./summarise.js"
import type { Workplace } from "./workplace.js"

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

  const session = openSession(options, [...tools.values()], fresh)
  const collect = collector(workplace, session)
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
    collect: async () => collect(),
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
      workplace.store().release(session.id)
    },
  }
}

/** Every entry is on disk before it takes effect. */
function openSession(options: OpenOptions, tools: readonly Tool[], fresh: Entry[]): Session {
  const { workplace, parent } = options
  const { config, cwd, now } = workplace
  const store = workplace.store()
  const agent = options.agent ?? config.agent
  const own = workplace.agents.find(({ name }) => name === agent)?.model
  const model = workplace.modelNamed(options.model ?? own)
  let id: string | undefined
  const settings: SessionOptions = {
    agents: workplace.agents,
    ...(agent !== undefined && { agent }),
    model,
    tools: tools.map(({ definition }) => definition),
    rules: workplace.rules,
    reminders: config.reminders,
    budget: config.budget,
    ...(config.system && { system: config.system }),
    ...(config.channelsWake !== undefined && { channelsWake: config.channelsWake }),
    ...(config.snip !== undefined && { snip: config.snip }),
    ...(config.nonce !== undefined && { nonce: config.nonce }),
    now,
    newId: randomUUID,
    onAppend: (entries) => {
      const [first] = entries
      if (id !== undefined) store.append(id, entries)
      else if (first?.type === "opened") {
        id = first.id
        store.create({ cwd, ...(parent && { parent: parent.id }) }, entries)
      }
      fresh.push(...entries)
    },
  }
  if (options.session === undefined) return createSession(settings)
  id = options.session
  const session = restoreSession(settings, store.open(options.session))
  session.recover()
  if (options.model !== undefined) session.switchModel(model)
  if (options.agent !== undefined) session.switchAgent(options.agent)
  return session
}

/** What the system prompt is made of, looked at before every boundary; the engine tells what is different. */
function collector(workplace: Workplace, session: Session): () => void {
  const { cwd, env, config, skills, now } = workplace
  const told = session.log.flatMap((entry) => (entry.type === "observed" ? [entry.key] : []))
  const instructions = new Instructions({ cwd, env, extra: config.instructions, told })
  let first = true
  return () => {
    const seen = [...observeEnvironment({ cwd, now: () => now() }), ...instructions.refresh()]
    if (first && skills.skills.length > 0) seen.push(skillsFact(skills.skills))
    first = false
    for (const { key, value } of seen) session.observe(key, value)
  }
}

function modelOf(session: Session): string {
  const chosen = session.log.findLast((entry) => entry.type === "model" || entry.type === "opened")
  return chosen?.type === "model" || chosen?.type === "opened" ? chosen.model.id : ""
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}
