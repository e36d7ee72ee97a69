import { childEnvironment, type Environment, findProgram, startDetached } from "@sotto/harness"

/** What a browser needs to be found and to find the display. Nothing else is its business. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|XDG_.*|BROWSER|TMPDIR)$/

/** Opens an address in the user's browser, where there is a display to show it on. Whether it tried to. */
export function openBrowser(address: string, env: Environment): boolean {
  const program = programFor(env)
  if (program === undefined) return false
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)))
  // If it cannot be started: the address is printed anyway.
  startDetached(program, [address], { env: childEnvironment(own) })
  return true
}

function programFor(env: Environment): string | undefined {
  const hasDisplay = process.platform === "darwin" || env.DISPLAY || env.WAYLAND_DISPLAY
  const name = process.platform === "darwin" ? "open" : "xdg-open"
  return hasDisplay ? findProgram(name, process.cwd(), env) : undefined
}
