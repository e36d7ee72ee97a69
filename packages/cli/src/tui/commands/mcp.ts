import { LinkError, logIn, reasonOf, whyNoLogin } from "@sotto/harness"
import { openBrowser } from "../../server/browser.js"
import type { SlashCommand, TerminalContext } from "../context.js"

/** Milliseconds for the user to log in. */
const LONGEST_LOGIN = 300_000

export const mcp: SlashCommand = {
  name: "mcp",
  argument: "[login NAME]",
  help: "the MCP servers: whether they answer, their tools, what they printed, and a way to reconnect or log in",
  offers: ({ workplace }) =>
    workplace.mcp
      .statuses()
      .flatMap(({ name, state }) =>
        state === "login" ? [{ text: `login ${name}`, detail: "log in at it in your browser" }] : [],
      ),
  run: async (terminal, argument) => {
    const [action, name, ...more] = argument.split(/\s+/)
    if (argument === "") terminal.open("mcp")
    else if (action === "login" && name !== undefined && more.length === 0) await logInAt(terminal, name)
    else terminal.say(`/mcp ${argument}: use /mcp, or /mcp login NAME.`, "error")
  },
}

/** Logs the user in at a server of this folder in their browser, and connects it anew. */
export async function logInAt(terminal: TerminalContext, name: string): Promise<void> {
  const { say, workplace } = terminal
  const { config, env, mcp: servers } = workplace
  const server = Object.hasOwn(config.mcp, name) ? config.mcp[name] : undefined
  const obstacle = server === undefined ? "there is no MCP server of that name here" : whyNoLogin(server)
  if (server === undefined || obstacle !== undefined) return say(`${name}: ${obstacle}`, "error")
  try {
    const isDone = await logIn({
      server,
      env,
      signal: AbortSignal.timeout(LONGEST_LOGIN),
      show: (address) => {
        const isOpened = openBrowser(address, env)
        const how = isOpened ? "on the page that opens in your browser" : "at this address"
        say(`Log in ${how}: ${address}`)
        // On the screen it is broken into lines.
        if (!isOpened) say(terminal.copy(address))
        say(`Is the browser on another machine? In another terminal: sotto mcp login ${name}`)
      },
    })
    say(isDone ? `logged in at ${name}` : `${name} answers without a login`)
    await servers.reconnect(name)
  } catch (error) {
    say(`${name}: ${reasonOf(error)}${error instanceof LinkError ? ". Nothing is kept of it." : ""}`, "error")
  }
}
