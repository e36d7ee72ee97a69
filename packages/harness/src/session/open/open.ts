import { join } from "node:path"
import { type Agent, removed, type Session } from "@sotto/core"
import { guardian } from "../../execution/guardian/guardian.js"
import { Grants, gateFor } from "../../execution/permissions/gate.js"
import { keyFileIn } from "../../execution/permissions/key-file.js"
import { placesIn } from "../../execution/permissions/path-access.js"
import { tidyOutputs } from "../../execution/programs/old-outputs.js"
import { knownSecrets } from "../../models/known-secrets.js"
import { priceIn } from "../../models/model-facts.js"
import type { ModelLink } from "../../models/model-link.js"
import { isRehearsal } from "../../models/resolve.js"
import { reasonOf } from "../../platform/text/errors.js"
import { dataFolder } from "../../platform/workspace/folders.js"
import { privateFolder } from "../../platform/workspace/private-files.js"
import { hostOf } from "../../platform/workspace/workspace-names.js"
import { modelOf } from "../../settings/agents/selection.js"
import { Collector } from "../../sources/collector.js"
import { TurnHooks } from "../../sources/hooks/turn-hooks.js"
import { SessionSnapshots } from "../../sources/snapshots/session-snapshots.js"
import type { Source, SourceContext } from "../../sources/source.js"
import { taskProgress } from "../../sources/tasks.js"
import { bashTool } from "../../tools/bash.js"
import { BASH } from "../../tools/definitions.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import { OpenQuestions } from "../../tools/events/questions.js"
import { withoutKeys } from "../../tools/events/without-keys.js"
import { KnownFiles } from "../../tools/file-views/known-files.js"
import { shellFor } from "../../tools/shell.js"
import { controlOf } from "../../tools/tasks/control.js"
import { isOver } from "../../tools/tasks/task.js"
import { Tasks } from "../../tools/tasks/tasks.js"
import { tellOfLostTasks, tellOfTasks } from "../../tools/tasks/tell.js"
import type { Tool } from "../../tools/tool.js"
import { economyIn, keepsWarm } from "../limits/economy.js"
import { Fullness } from "../limits/fullness.js"
import { figuresOf } from "../limits/tree-account.js"
import { withCharges } from "../loop/charges.js"
import { Commands } from "../loop/commands.js"
import { Conversation } from "../loop/conversation.js"
import type { Durability } from "../loop/durability.js"
import { EventFeed } from "../loop/event-feed.js"
import { Flight } from "../loop/flight.js"
import { Loop, type LoopParts } from "../loop/loop.js"
import { takePosted } from "../loop/posted.js"
import { type CommandTarget, carryOut } from "../loop/session-commands.js"
import { WorkMark } from "../loop/work-mark.js"
import type { Parent } from "../subagents/child.js"
import { SubagentConvoy } from "../subagents/convoy.js"
import { Team } from "../subagents/team.js"
import { SubagentWatch } from "../subagents/watch.js"
import type { HiddenAgentParts } from "../summaries/ask.js"
import { CacheWarmth } from "../summaries/cache-warmth.js"
import { summarise } from "../summaries/summarise.js"
import { Titles } from "../summaries/titles.js"
import type { OpenConversation, OpenOptions, SupervisingSession } from "./options.js"
import type {
  CommandedSession,
  EquippedSession,
  InformedSession,
  LoggedSession,
  PermittedSession,
  RunnableSession,
  SessionWriters,
} from "./phases.js"
import { openSession } from "./session.js"
import { openSources } from "./sources.js"
import { assembleTools, providedTools } from "./tools.js"

/**
 * Brings a session to life, new or stored, with everything that it needs to run: one phase after the other, as the table
 * in phases.ts says. The configuration has been read and the store been opened by `openProjectRuntime`.
 */
export async function openConversation(options: OpenOptions): Promise<OpenConversation> {
  const logged = await openSession(options)
  const commanded = takeCommands(logged)
  const permitted = setPermissions(commanded)
  const equipped = equip(permitted)
  const informed = startSources(equipped)
  const runnable = startLoop(informed)
  const stop = stopWhenLost(runnable)
  tellOfOpening(runnable)
  if (options.session !== undefined) await runnable.snapshots.finish()
  return handle(runnable, stop)
}

/** Lets the session take commands from here on, and shows what becomes of them. */
function takeCommands(logged: LoggedSession): CommandedSession {
  const { options, session, durability, meter } = logged
  const { workplace } = options
  const { env, agents, styles, models } = workplace
  const telemetry = workplace.telemetry?.session(session, { env, isSubagent: options.parent !== undefined })
  if (telemetry) durability.measureBy(telemetry.storeClock)
  const writers = startWriters(
    options,
    session,
    withCharges(telemetry?.writers(models) ?? models, logged, "beside"),
    durability,
  )
  const emit = (event: HarnessEvent): void => {
    options.emit(withoutKeys(event, env))
    telemetry?.event(event)
    if (event.type === "turn-end") writers.titles?.turnEnded()
  }
  const showing = new EventFeed(session, emit, {
    figures: () => figuresOf(meter.tree),
    summaryCost: (compaction) => meter.summaryCost(compaction),
  })
  durability.watch(showing)
  const link = telemetry?.link(models) ?? models
  const flight = new Flight(session, withCharges(options.parent?.convoy.link(link) ?? link, logged, "step"))
  // Where a lease can end while this process is stopped, another process has to end what it runs.
  const lease = () => workplace.store().lease(session.id)
  const guard = lease() && guardian.forLease(() => lease()?.until)
  const workMark = options.resumable ? new WorkMark(workplace.store(), session.id) : undefined
  const commands = new Commands({
    workMark,
    session,
    durability,
    showing,
    flight,
    agents,
    styles,
    model: workplace.modelNamed(options.model ?? (options.session && session.model)),
    modelOf: (name) => {
      const agent = agents.find((one) => one.name === name)
      const own = agent && modelOf(agent)
      return own === undefined ? undefined : workplace.modelNamed(own)
    },
  })
  const report: SourceContext["report"] = (message, as = "error") => emit({ type: as, message })
  return { ...logged, ...writers, telemetry, emit, report, showing, flight, commands, workMark, guard }
}

/** Starts the hidden agents that write beside the conversation: summaries, and titles where the session is listed. */
function startWriters(
  { workplace, parent, titles }: OpenOptions,
  session: Session,
  models: ModelLink,
  durability: Durability,
): SessionWriters {
  const { config, agents, now, env } = workplace
  const left = new AbortController()
  const writing = (signal: AbortSignal): HiddenAgentParts => ({
    session,
    agents,
    models,
    now,
    modelNamed: workplace.modelNamed,
    prices: (model) => priceIn(config, model),
    signal,
    mayAct: () => durability.mayAct(),
    enter: (entry) => durability.enter(entry, () => undefined),
  })
  // The rehearsal has better things to play, and subagents are in no list.
  const isListed = parent === undefined && !isRehearsal(session.model)
  return {
    left,
    writing,
    titles:
      isListed && (config.titles ?? titles)
        ? new Titles(session, workplace.store(), () => writing(left.signal), knownSecrets(env))
        : undefined,
  }
}

/** Sets what the agent may do: its own rules, within what its parent may, and what the user has allowed meanwhile. */
function setPermissions(commanded: CommandedSession): PermittedSession {
  const { options, session, commands } = commanded
  const { workplace, parent, yes } = options
  const { agents, config } = workplace
  const agent = (): Agent => agents.find(({ name }) => name === session.agent) ?? (agents[0] as Agent)
  const grants = new Grants()
  return {
    ...commanded,
    agent,
    grants,
    gate: gateFor(
      agent,
      parent?.gate,
      grants,
      config.sandbox,
      workplace.sourcesOf,
      keyFileIn(workplace),
      workplace.cwd,
    ),
    // For subagents too: a user who lets the parent act without asking lets it delegate.
    allowed: (): boolean => (yes() && !grants.asksAgain) || commands.auto,
  }
}

/** Makes the tools, and what they share: background tasks, the team, the files that the model knows. */
function equip(permitted: PermittedSession): EquippedSession {
  const { options, session, commands, gate, grants, allowed, meter, showing, durability, report } = permitted
  const { workplace, questions } = options
  const { agents, config, now } = workplace
  const tasks = new Tasks(now)
  const team =
    options.parent === undefined
      ? new Team({
          coordinator: { session, say: (text, how) => commands.say(text, how) },
          atWork: () => tasks.atWork(),
          channelsWake: config.channelsWake ?? false,
        })
      : undefined
  const subagents = new SubagentWatch()
  const supervising: SupervisingSession = {
    id: session.id,
    session,
    gate,
    meter,
    cacheKey: options.parent?.cacheKey ?? session.id,
    family: options.parent?.family ?? session.id,
    convoy: new SubagentConvoy(),
  }
  subagents.onEvent(({ id }, event) => {
    if (event.type === "usage") showing.tellSubagent(id, event)
  })
  const parent: Parent = {
    agents,
    model: () => session.model,
    questions,
    tasks,
    team,
    open: (child) =>
      subagents.watched(
        (event) => child.emit(event),
        (emit) => openConversation({ ...child, emit, workplace, yes: allowed, parent: supervising }),
      ),
  }
  const membership = options.membership ?? team?.coordinator
  const always = assembleTools({ workplace, session, commands, grants, parent, membership })
  const tools = new Map(always.map((tool) => [tool.definition.name, tool]))
  const offer = (more: readonly Tool[]): void => {
    for (const tool of more) tools.set(tool.definition.name, tool)
    const own = [...always, ...more].map(({ definition }) => definition)
    session.offerTools([...own, ...providedTools(config)])
  }
  const snapshots = new SessionSnapshots({
    session,
    cwd: workplace.cwd,
    host: hostOf(workplace.env),
    family: options.parent?.family ?? session.id,
    tree: workplace.tree,
    isOn: workplace.config.snapshots !== false,
    content: (hash) => workplace.store().content(hash),
    isAtWork: () => runningIn(tasks).length > 0,
    enter: (entry) => durability.enter(entry, (error) => report(reasonOf(error))),
    onDisk: () => durability.onDisk(),
    report,
  })
  return { ...permitted, tasks, subagents, tools, offer, files: new KnownFiles(), snapshots }
}

/** Lists what works in the background and may change files, by its id. */
function runningIn(tasks: Tasks): readonly string[] {
  return tasks.list().flatMap((task) => (isOver(task) ? [] : [task.id]))
}

/** Starts everything that notices something for the model, and the hooks, which may also object. */
function startSources(equipped: EquippedSession): InformedSession {
  const { options, session, commands, durability, guard, files, agent, gate, offer, report, tasks } = equipped
  const { workplace } = options
  const context: SourceContext = {
    cwd: workplace.cwd,
    session,
    files,
    isSubagent: options.parent !== undefined,
    agent,
    judge: gate.judge,
    say: (content, how) => commands.say(content, how),
    cancel: (id) => commands.cancel(id),
    offer,
    report,
  }
  const hooks = new TurnHooks(context, workplace, {
    abort: (reason) => commands.abort(reason),
    mayAct: () => durability.mayAct(),
    guard,
  })
  const sources: readonly Source[] = [...openSources(context, workplace), taskProgress(tasks, session), hooks]
  files.onTouch((touch) => {
    for (const source of sources) source.touched?.(touch)
  })
  const collector = new Collector(sources, report, workplace.config.collectTimeout)
  return { ...equipped, hooks, sources, collector }
}

/** Starts the loop, and takes what other processes post for the session. */
function startLoop(informed: InformedSession): RunnableSession {
  const {
    options,
    session,
    durability,
    showing,
    flight,
    commands,
    hooks,
    sources,
    collector,
    writing,
    left,
    tasks,
    meter,
  } = informed
  const { workplace, questions } = options
  const { config } = workplace
  const loop = new Loop({
    session,
    durability,
    showing,
    flight,
    commands,
    hooks,
    sources,
    questions,
    agents: workplace.agents,
    collect: () => collector.collect(),
    takePosted: () => posted.take(),
    summarise: (tail, focus, signal) => summarise(tail, focus, writing(signal)),
    snapshots: informed.snapshots,
    atWork: () => runningIn(tasks),
    fullness: new Fullness(session, config.compaction),
    meter,
    warmth: keepsWarm(config)
      ? new CacheWarmth({ ...writing(left.signal), limitReached: () => meter.reached() !== undefined })
      : undefined,
    calls: callParts(informed),
  })
  const target: CommandTarget = {
    conversation: new Conversation(session, commands, loop, questions),
    tasks: controlOf(tasks, session),
    modelNamed: workplace.modelNamed,
  }
  // The questions of a subagent are its parent's.
  const asked =
    options.parent === undefined
      ? questions
      : new OpenQuestions(
          () => {},
          () => false,
        )
  const posted = takePosted({ store: workplace.store(), target, questions: asked })
  return { ...informed, target, posted }
}

/**
 * Stops the session once another worker has it, or may have it: nothing more is entered, sent or run. Returns what
 * stops it all.
 */
function stopWhenLost({
  options,
  durability,
  commands,
  tasks,
  left,
  report,
  telemetry,
  posted,
}: RunnableSession): () => void {
  const stop = () => {
    commands.halt()
    left.abort()
    posted.stop()
    void tasks.close()
  }
  durability.onUnreachable((error) =>
    report(`${error.message} Nothing is sent or run until it can be reached again.`),
  )
  durability.onLost((error) => {
    telemetry?.leaseLost()
    stop()
    report(error.message)
    // Later: the caller may give the session up, and the loss may have been noticed inside a call that checks it.
    queueMicrotask(() => options.lost?.(error))
  })
  return stop
}

function callParts(equipped: EquippedSession): LoopParts["calls"] {
  const { options, session, tools, tasks, guard, gate, grants, allowed, files, agent, emit, telemetry } =
    equipped
  const { snapshots } = equipped
  const { workplace } = options
  const { cwd, env } = workplace
  const scratch = join(dataFolder(env), "output")
  return {
    tools,
    gate,
    grants,
    yes: allowed,
    snapshots,
    telemetry,
    runner: async (tool, verdict, abort) =>
      tool.definition.name === BASH.name
        ? bashTool({ tasks, shell: { ...(await shellFor(workplace, verdict, gate, abort)), guard } })
        : tool,
    contextFor: (call, abort) => ({
      call: call.id,
      cwd,
      place: placesIn(cwd),
      agent: agent(),
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
  }
}

function tellOfOpening({ options, session, commands, tasks, report }: RunnableSession): void {
  const { workplace, parent } = options
  const { config } = workplace
  if (parent === undefined) for (const notice of workplace.notices) report(notice)
  // A copy begins with its parent's log, and the parent's tasks are still there.
  if (options.fork === undefined) tellOfLostTasks(session)
  tellOfTasks(tasks, session, (text, how) => commands.say(text, how))
  if (options.session === undefined && parent === undefined) {
    if (config.auto) commands.setAuto(true)
    if (config.style !== undefined) commands.setStyle(config.style)
  }
  session.observe("compaction:auto", config.compaction.auto ?? true)
  if (economyIn(config)) session.observe("economy", "break-even")
  else if (session.fact("economy") !== undefined) session.observe("economy", removed())
}

/** Gives the caller what it may do with the session. `stop` ends all of its work. */
function handle(runnable: RunnableSession, stop: () => void): OpenConversation {
  const {
    options,
    session,
    durability,
    meter,
    gate,
    grants,
    tasks,
    subagents,
    collector,
    titles,
    left,
    workMark,
    telemetry,
    target,
    posted,
    snapshots,
  } = runnable
  const { conversation } = target
  const { workplace } = options
  const close = async () => {
    // A user who has asked for titles waits for one; a convenience that the user did not ask for does not hold up the
    // end.
    if (workplace.config.titles && durability.holds) await titles?.settled()
    posted.stop()
    left.abort()
    await tasks.close()
    await collector.close()
    await snapshots.settled()
    await titles?.settled()
    telemetry?.close()
    meter.end()
    // In the same breath: a command that came now would be dropped with what the store forgets of the session.
    durability.giveUp()
    await workplace.store().release(session.id)
  }
  return {
    conversation,
    gate,
    tasks: target.tasks,
    subagents,
    permissions: grants,
    account: () => meter.tree,
    settled: async (signal) => {
      await conversation.wake()
      while (tasks.atWork().length > 0 && !signal.aborted) {
        await tasks.changed(signal)
        await conversation.wake()
      }
    },
    obey: async (command) => {
      const result = await carryOut(command, target)
      const kept = durability.kept()
      if (kept !== undefined) await kept
      return result
    },
    entriesFrom: (seq) => session.log.slice(seq, durability.length),
    takePosted: () => posted.take(),
    rest: () => workMark?.end(),
    close,
    leave: async () => {
      durability.giveUp()
      stop()
      await conversation.wake()
      await close()
    },
  }
}
