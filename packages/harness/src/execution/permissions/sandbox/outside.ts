import { dirname } from "node:path"
import type { PermissionRule } from "@sotto/core"
import type { Judge } from "../rules.js"

/** What the rules let an agent read outside the workspace without asking. */
export interface Outside {
  /** True if that is everything but what is hidden. */
  readonly everything: boolean
  readonly shown: readonly string[]
  readonly hidden: readonly string[]
}

/** A path that no rule names. */
const ANYWHERE = "/sotto-no-such-folder/file"

/**
 * Works out what lies outside the workspace and may be read unasked, from where the patterns of the rules begin. What
 * cannot be worked out from that is not shown: a command that names such a file is judged by its name all the same.
 */
export function outsideOf(rules: readonly PermissionRule[], judge: Judge): Outside {
  const about = rules.filter(({ permission }) => /^(\*|outside|read)$/.test(permission))
  const isOpen = (path: string) =>
    judge({ permission: "outside", target: path }) === "allow" &&
    judge({ permission: "read", target: path }) === "allow"
  const starts = [
    ...new Set(about.map(({ pattern }) => pattern).filter((pattern) => pattern.startsWith("/"))),
  ]
  const isVague = about.some(
    ({ action, pattern }) => action !== "allow" && !pattern.startsWith("/") && !/^\*+$/.test(pattern),
  )
  const folders = starts.map((pattern) => ({
    path: startOf(pattern),
    sample: pattern.replaceAll(/[*?]+/g, "x"),
  }))
  return {
    everything: isOpen(ANYWHERE) && !isVague,
    shown: folders.filter(({ path, sample }) => path !== "/" && isOpen(sample)).map(({ path }) => path),
    hidden: folders.filter(({ path, sample }) => path !== "/" && !isOpen(sample)).map(({ path }) => path),
  }
}

function startOf(pattern: string): string {
  const wild = pattern.search(/[*?]/)
  if (wild < 0) return pattern
  const start = pattern.slice(0, wild)
  return start.endsWith("/") ? start.replace(/\/+$/, "") || "/" : dirname(start)
}
