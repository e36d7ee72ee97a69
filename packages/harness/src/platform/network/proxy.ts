import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { BlockList, connect, isIP, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { connect as connectTls } from "node:tls"
import { urlToHttpOptions } from "node:url"
import { ProxyError, type ProxySettings } from "./proxy-settings.js"

/*
 * How a request goes through a proxy. An address that begins with https is reached through a tunnel (CONNECT), so that
 * the proxy sees the host's name and nothing else. One that begins with http is sent to the proxy as it is, as the
 * address itself says that anybody on the way may read it.
 */

/** A proxy that requests go through. */
interface Proxy {
  readonly url: URL
  /** How it is called in errors: its address without user and password, and the variable that names it. */
  readonly called: string
  readonly headers: Readonly<Record<string, string>>
}

const LONGEST_CONNECT = 30_000
const proxies = new Map<string, Proxy>()
const agents = new Map<string, HttpAgent>()

/**
 * Gives what has a request for an address go through the proxy that the settings name for it; undefined if it goes
 * directly. Throws ProxyError for a setting that names no usable proxy.
 */
export function optionsThrough(settings: ProxySettings, url: URL): RequestOptions | undefined {
  const proxy = proxyFor(settings, url)
  if (proxy === undefined) return undefined
  const agent = agentThrough(proxy, url.protocol === "https:")
  if (url.protocol === "https:") return { agent }
  const { host: _, ...whole } = urlToHttpOptions(url)
  return { ...whole, agent, path: `${url.origin}${url.pathname}${url.search}`, headers: proxy.headers }
}

/** Names the proxies of the settings, for people. Throws ProxyError for a setting that names no usable proxy. */
export function namesOf({ https, http }: ProxySettings): readonly string[] {
  const named = [https, http].flatMap((one) =>
    one === undefined ? [] : [proxyIn(one.variable, one.value).called],
  )
  return [...new Set(named)]
}

function proxyFor(settings: ProxySettings, url: URL): Proxy | undefined {
  const named = url.protocol === "https:" ? settings.https : settings.http
  if (named === undefined || isDirect(url, settings.except)) return undefined
  const key = `${named.variable}=${named.value}`
  const proxy = proxies.get(key) ?? proxyIn(named.variable, named.value)
  proxies.set(key, proxy)
  return proxy
}

function proxyIn(variable: string, value: string): Proxy {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "")
    throw new ProxyError(
      `${variable} names no proxy that Sotto can use. Set it to an address like http://proxy.example:3128, or unset it.`,
      false,
    )
  const { username, password } = url
  const secret = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")
  return {
    url,
    called: `the proxy ${url.protocol}//${url.host} (${variable})`,
    headers: username === "" ? {} : { "proxy-authorization": `Basic ${secret}` },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True for hosts that no proxy is asked for: this machine, and what `NO_PROXY` lists. */
export function isDirect(url: URL, except: string): boolean {
  const host = bareHost(url.hostname)
  if (host === "localhost" || host.endsWith(".localhost") || isLoopback(host)) return true
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return except
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && isExcepted(entry, host, port))
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
}

/** A host, a suffix with a dot or `*.` before it, `*`, or a range of addresses; a port may follow. */
function isExcepted(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true
  if (entry.includes("/")) return isInRange(host, entry)
  const [, name = "", itsPort = port] =
    /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (itsPort !== port) return false
  const suffix = bareHost(name).replace(/^\*?\./, "")
  return suffix !== "" && (host === suffix || host.endsWith(`.${suffix}`))
}

function isInRange(host: string, range: string): boolean {
  const [start = "", bits = ""] = range.split("/")
  const kind = isIP(start)
  if (isIP(host) !== kind || kind === 0 || !/^\d+$/.test(bits) || Number(bits) > (kind === 4 ? 32 : 128))
    return false
  const family = kind === 4 ? "ipv4" : "ipv6"
  const list = new BlockList()
  list.addSubnet(start, Number(bits), family)
  return list.check(host, family)
}

function bareHost(name: string): string {
  return name.replace(/^\[|\]$/g, "").replace(/\.$/, "")
}

type Opened = (error: Error | null, socket?: Duplex) => void

function agentThrough(proxy: Proxy, isSecure: boolean): HttpAgent {
  const key = `${isSecure} ${proxy.url.href}`
  const known = agents.get(key)
  if (known !== undefined) return known
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, scheduling: "lifo" })
    : new HttpAgent({ keepAlive: true, scheduling: "lifo" })
  const createConnection = isSecure
    ? (options: TargetOptions, opened: Opened) => void openTunnel(proxy, options, opened)
    : (_: TargetOptions, opened: Opened) => void toProxy(proxy, opened)
  Object.assign(agent, { createConnection })
  agents.set(key, agent)
  return agent
}

interface TargetOptions {
  readonly host: string
  readonly port: number
  readonly servername?: string
}

/** Opens a connection to a host through the proxy, with TLS to the host inside. */
function openTunnel(proxy: Proxy, options: TargetOptions, opened: Opened): void {
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host
  const request = proxy.url.protocol === "https:" ? httpsRequest : httpRequest
  const asking = request({
    ...whereIs(proxy),
    method: "CONNECT",
    path: `${host}:${options.port}`,
    headers: { host: `${host}:${options.port}`, ...proxy.headers },
    agent: false,
    timeout: LONGEST_CONNECT,
  })
  asking.once("timeout", () =>
    asking.destroy(new ProxyError(`${proxy.called} did not answer for ${LONGEST_CONNECT / 1000} s`, true)),
  )
  asking.once("error", (error) => opened(unreached(proxy, error)))
  asking.once("connect", ({ statusCode = 0, statusMessage = "" }, socket: Socket) => {
    socket.setTimeout(0)
    if (statusCode >= 200 && statusCode < 300) {
      const { path: _, ...rest } = options as TargetOptions & { readonly path?: unknown }
      return opened(null, connectTls({ ...rest, socket }))
    }
    socket.destroy()
    opened(refused(proxy, statusCode, statusMessage, host))
  })
  asking.end()
}

function toProxy(proxy: Proxy, opened: Opened): void {
  const where = whereIs(proxy)
  const isSecure = proxy.url.protocol === "https:"
  const socket = isSecure
    ? connectTls({ ...where, ...(isIP(where.host) === 0 && { servername: where.host }) })
    : connect(where)
  const fail = (error: Error) => opened(unreached(proxy, error))
  const late = () =>
    socket.destroy(new ProxyError(`${proxy.called} did not answer for ${LONGEST_CONNECT / 1000} s`, true))
  socket.setTimeout(LONGEST_CONNECT, late)
  socket.once("error", fail)
  socket.once(isSecure ? "secureConnect" : "connect", () => {
    socket.setTimeout(0)
    socket.off("timeout", late)
    socket.off("error", fail)
    opened(null, socket)
  })
}

function whereIs({ url }: Proxy): { readonly host: string; readonly port: number } {
  return { host: bareHost(url.hostname), port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) }
}

function unreached(proxy: Proxy, error: Error): Error {
  if (error instanceof ProxyError) return error
  return new ProxyError(`${proxy.called} cannot be reached: ${error.message || error.name}`, true, {
    cause: error,
  })
}

function refused({ called }: Proxy, status: number, words: string, host: string): ProxyError {
  const answer = `${called} answered ${status}${/^[\x20-\x7e]{1,80}$/.test(words) ? ` ${words}` : ""}`
  const remedy =
    status === 407
      ? "it wants a user and a password: write them into the variable, as http://user:password@host:port"
      : `ask who runs it to let ${host} through, or list the host in NO_PROXY`
  return new ProxyError(`${answer}: ${remedy}`, status >= 500)
}
