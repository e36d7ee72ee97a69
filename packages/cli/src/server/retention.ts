import { archiveSessions, type Environment, reasonOf, retentionSettings, sizeText } from "@sotto/harness"
import { counted } from "../output/figures.js"

type ArchivedStore = Parameters<typeof archiveSessions>[0]

const HOUR_MS = 60 * 60_000

/**
 * Archives sessions as the user's sotto.json says, now and once an hour. Of several servers of one store one at a time
 * does it. The settings are read each time. Returns what stops it, and waits for what is under way.
 */
export function keepRetention(
  store: ArchivedStore,
  env: Environment,
  tell: (line: string) => void,
): () => Promise<void> {
  const look = async () => {
    try {
      const done = await store.upkeep.exclusively("retention", () => archived(store, env))
      if (done !== undefined && done !== "") tell(`sotto: retention: ${done}`)
    } catch (error) {
      tell(`sotto: retention failed and is tried again in an hour: ${reasonOf(error)}`)
    }
  }
  let underWay = look()
  const timer = setInterval(() => {
    underWay = underWay.then(look)
  }, HOUR_MS).unref()
  return async () => {
    clearInterval(timer)
    await underWay
  }
}

async function archived(store: ArchivedStore, env: Environment): Promise<string> {
  const settings = retentionSettings(env)
  if (settings === undefined) return ""
  const { olderThan, largerThan, keepLatest, to } = settings
  const { sessions, before, after, reclaimed } = await archiveSessions(store, {
    ...(olderThan !== undefined && { before: Date.now() - olderThan }),
    ...(largerThan !== undefined && { bytes: largerThan }),
    ...(keepLatest !== undefined && { keepLatest }),
    ...(to !== undefined && { to }),
  })
  const stay = sessions.filter((one) => "why" in one).length
  const moved = sessions.length - stay
  if (sessions.length === 0) return ""
  const parts = [
    `archived ${counted(moved, "session")}`,
    ...(stay > 0 ? [`${stay} stay because they are open, damaged or have something to do`] : []),
    `the store holds ${sizeText(after)} of ${sizeText(before)}`,
    ...(reclaimed.bytes > 0 ? [`its file is ${sizeText(reclaimed.bytes)} smaller`] : []),
  ]
  return `${parts.join("; ")}.`
}
