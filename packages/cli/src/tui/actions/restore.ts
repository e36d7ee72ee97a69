import type { RestoreReport, RewindOptions } from "@sotto/harness"
import type { TerminalContext } from "../context.js"

/** What `moved` is called where the person chooses the message to go back before, and where it goes forward. */
export const GO_BACK = "Go back"
export const REDO = "Redo"

/** Files that are named one by one; the rest are counted. */
const MOST = 12

/**
 * Lists what would become of files, asks where that is not the user's to lose, and goes back or forward. Returns false if
 * the user leaves it at that.
 */
export async function moved(
  terminal: TerminalContext,
  title: string,
  move: (options: RewindOptions) => Promise<RestoreReport>,
): Promise<boolean> {
  const report = await move({ files: true, preview: true })
  const { restored, conflicts } = report
  if (restored.length + conflicts.length === 0) {
    list(terminal, report)
    await move({ files: false })
    return true
  }
  list(terminal, report)
  const words = { value: "words", label: "in the conversation", detail: "files stay as they are" }
  const files = {
    value: "files",
    label: "in the conversation and in the files",
    detail: `${amount(restored.length)} ${title === REDO ? "again" : "as before"}${conflicts.length > 0 ? `, ${conflicts.length} to ask about` : ""}`,
  }
  // Whoever types /undo means what was done to files, too.
  const how = await terminal.pick(title, title === GO_BACK ? [words, files] : [files, words], "in order")
  if (how === undefined) return false
  if (how === "words") {
    await move({ files: false })
    return true
  }
  const edited = conflicts.length === 0 ? "skip" : await askAbout(terminal, conflicts)
  if (edited === undefined || !(await stopTasks(terminal))) return false
  const done = await move({ files: true, edited })
  for (const { path } of done.restored.slice(0, MOST))
    terminal.say(`${path} is as it was${title === REDO ? " before the undo" : ""}`)
  if (done.restored.length > MOST) terminal.say(`and ${done.restored.length - MOST} more`)
  for (const { path, why } of [...done.conflicts, ...done.lost])
    terminal.say(`${path} was left: ${why}`, "error")
  return true
}

/** Lists what comes back, what somebody else has changed, and what cannot come back. */
function list({ say }: TerminalContext, { restored, conflicts, lost, notices }: RestoreReport): void {
  const words = {
    changed: "comes back",
    made: "comes back, it was removed",
    removed: "goes, it was not there",
  }
  for (const { path, is } of restored.slice(0, MOST)) say(`${path}: ${words[is]}`)
  if (restored.length > MOST) say(`and ${restored.length - MOST} more`)
  for (const { path, why } of conflicts) say(`${path}: ${why}`, "error")
  for (const { path, why } of lost) say(`${path} cannot come back: ${why}`, "error")
  for (const notice of notices) say(notice, "error")
}

async function askAbout(
  { pick }: TerminalContext,
  conflicts: RestoreReport["conflicts"],
): Promise<"skip" | "overwrite" | undefined> {
  const names = conflicts.map(({ path }) => path)
  const shown =
    names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ")
  const chosen = await pick(`Somebody else has changed ${shown} since`, [
    { value: "skip", label: "leave what they changed", detail: "the other files come back" },
    { value: "overwrite", label: "overwrite it", detail: "a redo brings it back" },
  ])
  return chosen === "skip" || chosen === "overwrite" ? chosen : undefined
}

/** Asks to stop what works in the background: it could change files again. Returns false if it goes on. */
async function stopTasks({ talk, pick }: TerminalContext): Promise<boolean> {
  const { tasks } = talk()
  const running = tasks.list().filter(({ state }) => state === "running")
  if (running.length === 0) return true
  const names = running.map(({ id }) => id).join(", ")
  const chosen = await pick(`${names} still works in the background and may change files`, [
    { value: "stop", label: "stop it and go on" },
    { value: "leave", label: "let it work", detail: "nothing is undone" },
  ])
  if (chosen !== "stop") return false
  for (const { id } of running) await tasks.stop(id)
  return true
}

function amount(count: number): string {
  return count === 1 ? "1 file" : `${count} files`
}
