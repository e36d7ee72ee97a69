import { inline, onSignal, type Rule } from "@sotto/core"

declare module "@sotto/core" {
  interface CustomSignals {
    /** The user ran a command in the shell themselves. */
    "command.typed": { readonly command: string; readonly output: string; readonly failed: boolean }
  }
}

/** What the user ran with `!command`: the model sees it with the next message. What it printed is data. */
export const typedCommand: Rule = onSignal({
  kind: "typed_command",
  signal: "command.typed",
  priority: 78,
  trust: "untrusted",
  // The user wants it to be seen, like a file that they mention. It is bounded where it is run.
  exempt: true,
  key: (signal) => JSON.stringify([signal.command, signal.output]),
  say: ([signal]) => {
    const { command, output, failed } = signal
    const ended = failed === true ? "It did not succeed." : "It succeeded."
    return [
      {
        line: `The user ran a command in the shell themselves: ${inline(String(command))}. ${ended} What it printed:`,
        body: { text: String(output), source: `output of ${inline(String(command))}`, trust: "untrusted" },
      },
    ]
  },
})
