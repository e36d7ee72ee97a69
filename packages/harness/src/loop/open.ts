import { join } from "node:path"
import type { Agent, ToolCallPart } from "@sotto/core"
import { KnownFiles } from "../files/known-files.js"
import { filesAt, recordRestored, restoreFiles } from "../files/rewind.js"
import { dataFolder } from "../folders.js"
import { TurnHooks } from "../hooks/turn-hooks.js"
import { Meter, priceIn } from "../limits/meter.js"
import { dispatcher } from "../mcp/tools.js"
import { isRehearsal } from "../models/resolve.js"
import { privateFolder } from "../private-files.js"
import { Collector } from "../sources/collector.js"
import type { Source, Stage } from "../sources/source.js"
import { openSources } from "../sources/sources.js"
import { controlOf } from "../tasks/control.js"
import { Tasks } from "../tasks/tasks.js"
import { taskProgress, tellOfLostTasks, tellOfTasks } from "../tasks/telling.js"
import { Team } from "../team/team.js"
import { bashTool } from "../tools/bash.js"
import { BASH } from "../tools/definitions.js"
import { standardTools } from "../tools/index.js"
import { tidyOutputs } from "../tools/old-outputs.js"
import { placesIn } from "../tools/path-access.js"
import type { Tool, ToolContext } from "../tools/tool.js"
import { Fullness } from "./compaction.js"
import { Conversation } from "./conversation.js"
import type { HarnessEvent } from "./events.js"
import { Grants, gateFor } from "./gate.js"
import { Journal } from "./journal.js"
import type { OpenConversation, OpenOptions } from "./opening.js"
import { ownTools } from "./own-tools.js"
import { shellFor } from "./shell.js"
import { openSession } from "./stored-session.js"
import { delegateTo } from "./subagents.js"
import { summarise, type Writing } from "./summarise.js"
import { Titles } from "./titles.js"
import { withoutKeys } from "./without-keys.js"

/** Brings a session to life, new or stored, with everything that it needs to run. */
export async function openConversation(options: OpenOptions): Promise<OpenConversation> {
  const { workplace, desk, yes, parent } = options
  const { cwd, env, config, agents } = workplace
  const journal = new Journal(() => workplace.store())
  const tasks = new Tasks(workplace.now)
  const files = new KnownFiles()
  const grants = new Grants()
  const scratch = join(dataFolder(env), "output")
  const emit = (event: HarnessEvent): void => {
    options.emit(withoutKeys(event, env))
    if (event.type === "turn-end") titles?.turnEnded()
  }
  const report = (message: string) => emit({ type: "error", message })

  const agentNow = (): Agent => agents.find(({ name }) => name === session.agent) ?? (agents[0] as Agent)
  // For subagents too: whoever lets the parent act without asking lets it delegate.
  const allowed = (): boolean => yes() || conversation.auto
  const gate = gateFor(agentNow, parent?.gate, grants, config.sandbox, workplace.sourcesOf)
  const tools = new Map<string, Tool>()
  const own = ownTools(
    {
      session: () => session,
      desk,
      skills: workplace.skills,
      agents,
      tasks,
      seat: () => options.seat ?? team?.coordinator,
      switchAgent: (name) => conversation.switchAgent(name),
      delegate: (...work) =>
        delegateTo(
          {
            ...options,
            yes: allowed,
            open: openConversation,
            model: session.model,
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
  const reaching = workplace.mcp.names.length > 0 ? [dispatcher(workplace.mcp)] : []
  const always = [...standardTools({ tasks }), ...own, ...reaching]
  for (const tool of always) tools.set(tool.definition.name, tool)

  const session = openSession(
    options,
    [...tools.values()].map(({ definition }) => definition),
    journal,
  )
  const writing = (signal: AbortSignal): Writing => ({
    workplace,
    link: workplace.models,
    model: session.model,
    signal,
  })
  const left = new AbortController()
  // The rehearsal has better things to play, and subagents are in no list.
  const isListed = parent === undefined && !isRehearsal(session.model)
  const titles =
    isListed && (config.titles ?? options.titles)
      ? new Titles(session, workplace.store(), () => writing(left.signal))
      : undefined
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
    offer: (more) => {
      for (const tool of more) tools.set(tool.definition.name, tool)
      session.offerTools([...always, ...more].map(({ definition }) => definition))
    },
    report,
  }
  const hooks = new TurnHooks(stage, (reason) => conversation.abort(reason))
  const sources: readonly Source[] = [...openSources(stage), taskProgress(tasks, session), hooks]
  const collector = new Collector(sources, report, config.collectTimeout)
  files.onTouch((touch) => {
    for (const source of sources) source.touched?.(touch)
  })
  const conversation = new Conversation({
    session,
    journal,
    link: workplace.models,
    desk,
    hooks,
    emit,
    model: workplace.modelNamed(options.model ?? (options.session && session.model)),
    agents,
    modelOf: (name) => {
      const own = agents.find((agent) => agent.name === name)?.model
      return own === undefined ? undefined : workplace.modelNamed(own)
    },
    sources,
    collect: () => collector.collect(),
    summarise: (tail, focus, signal) => summarise(session.past(tail), focus, writing(signal)),
    restoreFiles: async (since) => {
      const written = filesAt(session.log, since)
      const restored = await restoreFiles(written, {
        cwd,
        content: (hash) => workplace.store().content(hash),
      })
      recordRestored(restored, session, cwd)
      return restored
    },
    styles: workplace.styles,
    fullness: new Fullness(session, config.compaction),
    meter: new Meter(config.limits, (model) => priceIn(config, model), session.log),
    workshop: {
      tools,
      runner: async (tool, verdict, abort) =>
        tool.definition.name === BASH.name
          ? bashTool({ tasks, shell: await shellFor(workplace, verdict, gate, abort) })
          : tool,
      gate,
      grants,
      desk,
      yes: allowed,
      contextFor: (call: ToolCallPart, abort: AbortSignal): ToolContext => ({
        cwd,
        place: placesIn(cwd),
        agent: agentNow(),
        judge: gate.judge,
        files,
        get scratch() {
          privateFolder(scratch)
          tidyOutputs(scratch)
          return scratch
        },
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
  if (parent === undefined) for (const notice of workplace.notices) report(notice)
  tellOfLostTasks(session)
  tellOfTasks(tasks, session, say)
  if (options.session === undefined && parent === undefined) {
    if (config.auto) conversation.setAuto(true)
    if (config.style !== undefined) conversation.setStyle(config.style)
  }
  if (config.compaction.auto === false) session.observe("compaction:auto", false)
  else if (session.fact("compaction:auto") === false) session.observe("compaction:auto", true)
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
      // Who has asked for titles waits for one; a convenience nobody asked for does not hold up the end.
      if (config.titles) await titles?.settled()
      left.abort()
      await tasks.close()
      await collector.close()
      await titles?.settled()
      workplace.store().release(session.id)
    },
  }
}
