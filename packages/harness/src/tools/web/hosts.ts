import type { Access } from "../../execution/permissions/access.js"
import { permissionPattern } from "../../platform/patterns/star-pattern.js"
import { ToolError } from "../../platform/text/errors.js"
import { isPrivateName } from "./addresses.js"

/** Reads an address that a model or a server gives. Only what any browser would open without a password is taken. */
export function addressIn(text: string): URL {
  const given = text.trim()
  if (!URL.canParse(given))
    throw new ToolError(`${quoted(given)} is no address. Give a whole one, as https://docs.example.com/page.`)
  const url = new URL(given)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new ToolError(
      `${quoted(given)} is not fetched: only addresses that begin with https:// or http:// are. For files use read.`,
    )
  if (url.username !== "" || url.password !== "")
    throw new ToolError(
      `An address with a user or password is not fetched: give it without, as ${bare(url).href}.`,
    )
  url.hostname = url.hostname.replace(/\.$/, "")
  url.hash = ""
  return url
}

/** What a rule has to allow before an address is fetched, or even looked up: its host, with a port that is not the usual one. */
export function accessTo(url: URL): Access {
  return { permission: "fetch", target: url.host, detail: url.href }
}

/** True if a list of hosts names that of an address, with its port or without; `*` stands for any characters. */
export function isListed(url: URL, hosts: readonly string[]): boolean {
  const names = [url.host, url.hostname, url.hostname.replace(/^\[|\]$/g, "")]
  return hosts.some((host) => {
    const matches = permissionPattern(host.toLowerCase(), false)
    return names.some((name) => matches(name))
  })
}

/** Refuses a host that is private by its name. What other names lead to is found out when they are connected to. */
export function checkHost(url: URL, privateHosts: readonly string[]): void {
  if (isPrivateName(url.hostname) && !isListed(url, privateHosts)) throw refusedAsPrivate(url)
}

export function refusedAsPrivate({ host }: URL): ToolError {
  return new ToolError(
    `${host} was not asked: it is a private address, of this machine or its network. Only the user can allow it, by naming the host in "web": {"private": […]} of their own sotto.json.`,
  )
}

function bare(url: URL): URL {
  const copy = new URL(url)
  copy.username = ""
  copy.password = ""
  return copy
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}
