import { redact } from "@sotto/core/secrets"
import {
  knownSecrets,
  openProjectRuntime,
  type ProjectRuntime,
  reasonOf,
  type TrustQuestion,
} from "@sotto/harness"
import { wantedSession } from "../commands/open-store.js"
import { watchForLeaving } from "../exit.js"
import { askForTrust } from "../questions/trust.js"
import { err, out } from "../screen/printer.js"
import { EXIT, type TalkFlags, thinking } from "../usage.js"
import type { App } from "./app.js"

export async function tui(values: TalkFlags): Promise<number> {
  const think = thinking(values.think)
  // What is typed from here on waits to be read, and is not echoed to where the screen is about to be drawn.
  process.stdin.setRawMode(true)
  try {
    const workplace = await openProjectRuntime({
      cwd: process.cwd(),
      env: process.env,
      watched: true,
      ...think,
      ...(values.trust && { trust: true }),
      askTrust: askBeforeDrawing,
    })
    const app = await opened(workplace, values)
    const leaving = watchForLeaving({ isLent: () => app.isLent })
    await Promise.race([app.ended, once(leaving.signal)])
    app.stop()
    out.print(farewell(app))
    await app.close()
    await workplace.close()
    leaving.stop()
    return leaving.code ?? EXIT.done
  } finally {
    // A terminal that was closed cannot be given back.
    process.stdin.on("error", () => {})
    process.stdin.setRawMode(false)
  }
}

/** Reads a line that is typed in answer, as people see it: the screen is not drawn yet. */
async function askBeforeDrawing(question: TrustQuestion): Promise<boolean> {
  process.stdin.setRawMode(false)
  try {
    return await askForTrust(question)
  } finally {
    process.stdin.setRawMode(true)
  }
}

async function opened(workplace: ProjectRuntime, flags: TalkFlags): Promise<App> {
  const { model, agent } = flags
  const stored = await wantedSession(flags, workplace)
  const { App } = await import("./app.js")
  const app = await App.open(workplace, {
    ...(model !== undefined && { model }),
    ...(agent !== undefined && { agent }),
    ...(stored !== undefined && { session: stored }),
  })
  giveBackTerminal(app)
  if (flags.yes) app.setAuto()
  await app.start()
  if (flags.prompt !== undefined) app.say(flags.prompt)
  return app
}

/** Gives the terminal back as it was found, whatever happens, and says how to go on. */
function giveBackTerminal(app: App): void {
  const leave = (code: number, why = "") => {
    app.stop()
    out.print(farewell(app))
    err.print(why)
    process.exit(code)
  }
  const crashed = (error: unknown) => {
    const message = reasonOf(error)
    const text = process.env.SOTTO_DEBUG && error instanceof Error ? error.stack : message
    leave(EXIT.failed, `sotto: ${redact(text ?? message, knownSecrets(process.env))}\n`)
  }
  process.on("uncaughtException", crashed)
  process.on("unhandledRejection", crashed)
  // Warnings of the platform would be written into the middle of the screen.
  process.removeAllListeners("warning")
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

function farewell(app: App): string {
  const { id } = app.talk().session
  return `Go on with: sotto --session ${id}\n`
}
