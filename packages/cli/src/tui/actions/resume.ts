import type { TerminalContext } from "../context.js"
import { textOfLine } from "../text/line.js"
import { clean } from "../text/width.js"
import { titleOf } from "../view/call.js"

/**
 * Goes on with a turn that was left open by a crash or a power cut. If it had commands to run, of which nobody knows
 * whether they did, the person is asked first: they may want to look before anything is done on top of that.
 */
export function goOn(terminal: TerminalContext): void {
  const talk = terminal.talk()
  if (talk.session.phase === "idle") return
  const cutOff = talk.cutOff()
  if (cutOff.length === 0) {
    void talk.conversation.wake()
    return
  }
  const calls = cutOff.map(({ name, input }) => clean(textOfLine(titleOf(name, input))))
  terminal.say(
    `Sotto ended while this ran, and it is not known whether it did:\n${calls.join("\n")}`,
    "error",
  )
  void terminal
    .pick("The turn is still open. Go on with it?", [
      { value: "stop", label: "Stop here", detail: "nothing more is run; say something to go on" },
      { value: "go", label: "Go on", detail: "the model is told that the outcome is unknown" },
    ])
    .then((answer) => {
      if (terminal.talk() !== talk) return
      if (answer === "go") void talk.conversation.wake()
      else talk.conversation.abort("the user stopped after a crash")
    })
}
