import { type Command, type CommandEnd, startCommand } from "../../execution/programs/command.js"
import { shortened, type Task } from "./task.js"
import type { Tasks } from "./tasks.js"

/** Starts a command that goes on while the agent does. */
export async function startInBackground(
  tasks: Tasks,
  id: string,
  command: string,
  how: Command,
): Promise<{ readonly task: Task; readonly ended: Promise<CommandEnd> }> {
  const running = await startCommand(how)
  running.unref()
  const task = tasks.begin({
    id,
    kind: "command",
    description: shortened(command),
    output: how.output,
    pid: running.pid,
    stop: async () => {
      running.stop("stopped")
      await running.ended
    },
  })
  void running.ended.then((ending) => {
    const text = (news: string) =>
      `The command ${JSON.stringify(command)} (${id}) ${howItEnded(ending)}. Its output is in ${how.output}${news === "" ? "." : `, lately:\n${news}`}`
    tasks.end(id, ending.code === 0 ? "finished" : "failed", text)
  })
  return { task, ended: running.ended }
}

function howItEnded({ code, signal, why }: CommandEnd): string {
  if (why === "too much output") return "was ended because it printed more than can be kept"
  return code === 0 ? "finished" : `ended with ${code ?? signal ?? "an error"}`
}
