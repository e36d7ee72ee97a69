import { Socket } from "node:net"
import { createInterface } from "node:readline"
import { startSotto } from "@sotto/harness"
import type { SlashCommand } from "../context.js"

/**
 * The page runs in a process of its own, so that the terminal stays as quick as it is. It ends with this one: its input
 * does.
 */
export const inspect: SlashCommand = {
  name: "inspect",
  help: "open a page in the browser that shows what the model saw in this session",
  run: ({ talk, say, workplace }) => {
    const { id } = talk().session
    const child = startSotto(["inspect", "--attached", id], workplace.cwd)
    let trouble = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      trouble = (trouble + text).slice(-2_000)
    })
    let isShown = false
    createInterface({ input: child.stdout }).on("line", (address) => {
      isShown = true
      say(`${address} (works once)`)
    })
    child.on("error", (error) => say(error.message, "error"))
    child.on("close", () => {
      if (!isShown) say(trouble.trim() || "the page could not be opened", "error")
    })
    // The terminal does not wait for it.
    child.unref()
    for (const stream of child.stdio) if (stream instanceof Socket) stream.unref()
  },
}
