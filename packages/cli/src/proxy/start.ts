import type { Environment, ModelFacts } from "@sotto/harness"
import { createMender, type MendingPolicy, type Report } from "@sotto/lens"
import { counted } from "../output/figures.js"
import { register } from "../peers/registration.js"
import { newSecret } from "../peers/secrets.js"
import { type AnalysisThread, analysisThread } from "./analysis/thread.js"
import { HeldState, heldPath, readHeld, rewriting } from "./mender/rewrite.js"
import { callLine } from "./messages.js"
import { type CallWatcher, startWatching } from "./recorder/call-watcher.js"
import { feedOf, NewestCalls } from "./recorder/feed.js"
import { type ProxyServer, type Rewrite, startServer } from "./transport/server.js"
import type { Upstreams } from "./transport/upstreams.js"

export interface RunningOptions {
  readonly port: number
  readonly upstreams: Upstreams
  readonly env: Environment
  readonly models: ModelFacts
  readonly record?: string | undefined
  readonly policy?: MendingPolicy | undefined
  readonly command?: readonly string[] | undefined
  /** True if WebSockets to a model's API are refused. */
  readonly refusesWebSockets: boolean
  /** Tells a person something, in a line. */
  readonly say: (line: string) => void
}

export interface StartedProxy {
  readonly port: number
  /** Ends all connections. Resolves with the findings, once all calls are looked at. */
  end(): Promise<{ readonly report: Report | undefined; readonly notes: readonly string[] }>
}

export async function startProxy(options: RunningOptions): Promise<StartedProxy> {
  const { port, upstreams, env, models, record, say } = options
  const newest = new NewestCalls()
  const unrecorded = { calls: 0 }
  const analysis: AnalysisThread = analysisThread(
    { models, ...(record !== undefined && { record }) },
    {
      told: (told, line) => {
        newest.add(told.number, line)
        say(callLine(told))
      },
      released: (bytes) => watching.release(bytes),
      unrecorded: (message) => {
        if (unrecorded.calls++ === 0)
          say(`sotto: a call could not be recorded in ${record}: ${message}. The traffic goes on.`)
      },
      lost: (message) =>
        say(
          `sotto: the analysis failed (${message}) and begins anew with the next call. The traffic goes on.`,
        ),
    },
  )
  const watching: CallWatcher = startWatching((call, bytes) => analysis.take(call, bytes))
  const held = options.policy && mendingWith(options.policy, options)
  const [token, secret] = [newSecret(), newSecret()]
  const server: ProxyServer = await startServer({
    port,
    upstreams,
    watch: watching.watch,
    rewrite: held?.rewrite,
    refuseTunnel: onTunnel(options),
    answer: feedOf(newest, token, secret),
  })
  const { command } = options
  const unregister = registered(
    () =>
      register(env, `proxy-${process.pid}.json`, {
        ...{ host: "127.0.0.1", port: server.port, secret, token },
        ...(command && { command }),
      }),
    say,
  )
  return {
    port: server.port,
    async end() {
      await server.close()
      held?.state.flush()
      unregister()
      const report = await analysis.report()
      await analysis.close()
      return { report, notes: notesOn(watching.missed, unrecorded.calls, record) }
    },
  }
}

/** Says once that what passes in a WebSocket is not seen. */
function onTunnel({ refusesWebSockets, say }: RunningOptions): () => boolean {
  let isSaid = false
  return () => {
    if (!refusesWebSockets && !isSaid)
      say("sotto: a WebSocket to a model was opened. What passes in it is neither analysed nor recorded.")
    isSaid = true
    return refusesWebSockets
  }
}

function mendingWith(
  policy: MendingPolicy,
  { env, port, say }: RunningOptions,
): { readonly rewrite: Rewrite; readonly state: HeldState } {
  const path = heldPath(env, { port, cwd: process.cwd() })
  const saved = readHeld(path)
  const mender = createMender(policy, saved === undefined ? {} : { saved })
  let isSaid = false
  const state = new HeldState(
    path,
    () => mender.save(),
    (error) => {
      if (!isSaid)
        say(`sotto: what is held could not be saved: ${String(error)}. It does not survive a restart.`)
      isSaid = true
    },
  )
  return { rewrite: rewriting(mender, state.touch), state }
}

/**
 * Registers the proxy. Without a folder to write to, the inspector does not find this proxy, and everything else works.
 */
function registered(register: () => () => void, say: (line: string) => void): () => void {
  try {
    return register()
  } catch (error) {
    say(`sotto: \`sotto inspect\` will not find this proxy: ${String(error)}`)
    return () => {}
  }
}

function notesOn(missed: number, unrecorded: number, record: string | undefined): readonly string[] {
  return [
    ...(missed > 0
      ? [`${counted(missed, "call")} passed without being analysed: too much was waiting.`]
      : []),
    ...(unrecorded > 0 ? [`${counted(unrecorded, "call")} could not be recorded in ${record}.`] : []),
  ]
}
