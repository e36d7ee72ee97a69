import { setTimeout as wait } from "node:timers/promises"
import { echoes, type Pty, percentile, processorTime, seen } from "./pty.js"

const FRAME = "\u001b[?2026h"

export interface Streaming {
  readonly framesASecond: number
  readonly bytesASecond: number
  /** Key to echo meanwhile, in milliseconds. */
  readonly echo: number
  /** Of one processor, while text streams fast and slowly. */
  readonly busy: number
  readonly slowlyBusy: number
}

/** What a conversation costs while text streams in: 500 tokens a second, and 20. */
export async function whileStreaming(pty: Pty): Promise<Streaming> {
  await seen(pty, "word word", "stream 500 5\r")
  const fast = await watched(pty, 4_000)
  await seen(pty, "── 1 step", "")
  await seen(pty, "word word", "stream 500 12\r")
  const times = await echoes(pty, 60, (typed) => `▌ ${typed}`, 90)
  pty.write("\u0015")
  await seen(pty, "── 1 step", "")
  const slowlyBusy = await busySlowly(pty)
  await seen(pty, "── 1 step", "")
  return {
    framesASecond: fast.frames,
    bytesASecond: fast.bytes,
    echo: percentile(times, 0.95),
    busy: fast.busy,
    slowlyBusy,
  }
}

/** Of one processor, while 20 tokens a second come in. */
export async function busySlowly(pty: Pty): Promise<number> {
  await seen(pty, "word word", "stream 20 6\r")
  return (await watched(pty, 5_000)).busy
}

async function watched(pty: Pty, milliseconds: number) {
  let heard = ""
  const listening = pty.onData((data) => {
    heard += data
  })
  const before = processorTime(pty.pid)
  const began = performance.now()
  await wait(milliseconds)
  const seconds = (performance.now() - began) / 1000
  listening.dispose()
  return {
    frames: (heard.split(FRAME).length - 1) / seconds,
    bytes: Buffer.byteLength(heard) / seconds,
    busy: (processorTime(pty.pid) - before) / seconds,
  }
}
