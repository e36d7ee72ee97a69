import type { Environment } from "../workspace/folders.js"

/** A proxy as a variable names it. */
interface NamedProxy {
  readonly variable: string
  readonly value: string
}

/** Which requests go through a proxy, as the variables of the environment say. */
export interface ProxySettings {
  /** For addresses that begin with https. */
  readonly https?: NamedProxy
  /** For addresses that begin with http. */
  readonly http?: NamedProxy
  /** `NO_PROXY`: the hosts that are reached directly. */
  readonly except: string
}

/** Thrown where a proxy is not usable, or does not let a request through. Its words never hold the proxy's password. */
export class ProxyError extends Error {
  override readonly name = "ProxyError"

  constructor(
    message: string,
    /** True if it may go better in a while. */
    readonly passing: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Reads the variables. Undefined where none names a proxy: then no code for proxies is loaded. */
export function proxySettings(env: Environment): ProxySettings | undefined {
  const https = namedBy(env, "https_proxy")
  const http = namedBy(env, "http_proxy")
  if (https === undefined && http === undefined) return undefined
  return {
    ...(https && { https }),
    ...(http && { http }),
    except: namedBy(env, "no_proxy")?.value ?? "",
  }
}

/** Finds a variable in small or capital letters; like curl, the small ones count more. */
function namedBy(env: Environment, name: string): NamedProxy | undefined {
  for (const variable of [name, name.toUpperCase()]) {
    const value = env[variable]?.trim()
    if (value) return { variable, value }
  }
  return undefined
}
