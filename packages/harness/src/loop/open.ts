import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Entry, ToolCallPart } from "@sotto/core"
import { dataFolder } from "../folders.js"
import { TurnHooks } from "../hooks/turn-hooks.js"
import { wrap as sandboxArgv } from "../permissions/index.js"
import { Collector } from "../sources/collector.js"
import type { Stage } from "../sources/source.js"
import { openSources } from "../sources/sources.js"
import { controlOf } from "../tasks/control.js"
import { Tasks } from "../tasks/tasks.js"
import { tellOfLostTasks, tellOfTasks } from "../tasks/telling.js"
import { Team } from "../team/team.js"
import { bashTool } from "../tools/bash.js"
import { standardTools } from "../tools/index.js"
import { KnownFiles } from "../files/known-files.js"
import type { Tool, ToolContext } from "../tools/tool.js"
import { Conversation } from "./conversation.js"
import { Grants, gateFor } from "./gate.js"
import type { OpenConversation, OpenOptions } from "./opening.js"
import { ownTools } from "./own-tools.js"
import { modelOf, openSession } from "./stored-session.js"
import { delegateTo } from "./subagents.js"
import { summarise } from "./summarise.js"

/** Brings a session to life, new or stored, with everything that it needs to run. */
export async function openConversation(options: OpenOptions): Promise<OpenConversation> {
  const { workplace, desk, emit, yes, parent } = options
  const { cwd, env, config, agents } = workplace
  const fresh: Entry[] = []
  const tasks = new Tasks(workplace.now)
  const files = new KnownFiles()
  const grants = new Grants()
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
      tasks,
      seat: () => options.seat ?? team?.coordinator,
      switchAgent: (name) => conversation.switchAgent(name),
      delegate: (...work) =>
        delegateTo(
          {
            ...options,
            open: openConversation,
            model: modelOf(session),
            tasks,
            team,
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
  const say: Stage["say"] = (content, how) => conversation.say(content, how)
  const stage: Stage = {
    workplace,
    session,
    files,
    isSubagent: parent !== undefined,
    agent: agentNow,
    judge: gate.judge,
    say,
    cancel: (id) => conversation.cancel(id),
    report,
  }
  const hooks = new TurnHooks(stage, (reason) => conversation.abort(reason))
  const sources = [...openSources(stage), hooks]
  const collector = new Collector(sources, report, config.collectTimeout)
  files.onTouch((touch) => {
    for (const source of sources) source.touched?.(touch)
  })
  const conversation = new Conversation({
    session,
    fresh,
    link: workplace.models,
    desk,
    hooks,
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
  const team =
    parent === undefined
      ? new Team({
          coordinator: { session, say },
          atWork: () => tasks.atWork(),
          channelsWake: config.channelsWake ?? false,
        })
      : undefined
  tellOfLostTasks(session)
  tellOfTasks(tasks, session, say)
  return {
    conversation,
    gate,
    tasks: controlOf(tasks, session),
    settled: async (signal) => {
      await conversation.wake()
      while (tasks.atWork().length > 0 && !signal.aborted) {
        await tasks.changed(signal)
        await conversation.wake()
      }
    },
    close: async () => {
      await tasks.close()
      await collector.close()
      workplace.store().release(session.id)
    },
  }
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}
