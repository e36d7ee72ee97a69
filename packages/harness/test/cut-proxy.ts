import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** Stands between a store and its database, and can be told to fail as networks do. */
export interface CutProxy {
  readonly port: number
  /** Nothing passes any more, and nobody is told: like a cable that was pulled. */
  hold(): Promise<void>
  /** What was held passes, and all that comes. */
  pass(): Promise<void>
  /** Lets requests with a text through and no answer to them, until `pass`. `seen` resolves when one has come. */
  mute(text: string): Promise<{ readonly seen: Promise<void> }>
  /** Breaks all connections. */
  cut(): Promise<void>
  /** Ends: nobody listens at its port any more. */
  close(): Promise<void>
}

interface Word {
  readonly is: "listening" | "done" | "seen"
  readonly port?: number
}

export async function startProxy(target: number): Promise<CutProxy> {
  const child = fork(fileURLToPath(new URL("./cut-proxy.mjs", import.meta.url)), [String(target)])
  onTestFinished(() => void child.kill())
  const waiting: { readonly is: Word["is"]; readonly resolve: (word: Word) => void }[] = []
  child.on("message", (word: Word) => {
    const i = waiting.findIndex(({ is }) => is === word.is)
    for (const { resolve } of waiting.splice(i, i < 0 ? 0 : 1)) resolve(word)
  })
  const next = (is: Word["is"]) => new Promise<Word>((resolve) => void waiting.push({ is, resolve }))
  const tell = async (is: string, text?: string) => {
    const done = next("done")
    child.send({ is, text })
    await done
  }
  const { port = 0 } = await next("listening")
  return {
    port,
    hold: () => tell("hold"),
    pass: () => tell("pass"),
    cut: () => tell("cut"),
    close: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill()
      await ended
    },
    mute: async (text) => {
      const seen = next("seen").then(() => {})
      await tell("mute", text)
      return { seen }
    },
  }
}
