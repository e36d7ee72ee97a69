import type { PermissionRule } from "@sotto/core"
import { overlap } from "@sotto/shell/patterns"
import type { Matches } from "../../platform/patterns/automaton.js"
import { permissionPattern } from "../../platform/patterns/star-pattern.js"
import type { Access, Action } from "./access.js"

export type Judge = (access: Access) => Action

/** What an agent may do: its rules, or a judgement made of several agents' rules. */
export type Policy = readonly PermissionRule[] | Judge

export interface Verdict {
  readonly action: Action
  /** The access that decided. Absent when there was nothing to judge. */
  readonly access?: Access
}

const severity: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

/**
 * Judges by ordered rules: the last that matches wins; what no rule speaks of is asked. A rule that asks or denies
 * already counts if it might match, one that allows only if it surely does.
 */
export function judge(rules: readonly PermissionRule[], access: Access): Action {
  return decisive(rules, access)?.action ?? "ask"
}

/**
 * Finds the rule that decides about an access: the last that surely matches, unless a later one that might match is
 * stricter.
 */
export function decisive(rules: readonly PermissionRule[], access: Access): PermissionRule | undefined {
  let doubt: PermissionRule | undefined
  for (const rule of rules.toReversed()) {
    if (!isFor(rule, access)) continue
    const isStrictest = doubt === undefined || isStricter(rule.action, doubt.action)
    if (surely(rule, access)) return isStrictest ? rule : doubt
    if (rule.action !== "allow" && isStrictest && perhaps(rule, access)) doubt = rule
  }
  return doubt
}

/** True if some files are judged more strictly than files in general, when they are read. */
export function limitsReading(rules: readonly PermissionRule[]): boolean {
  const about = rules.filter(({ permission }) => matcher(permission, false)("read"))
  const general = about.findLastIndex(({ pattern }) => /^\*+$/.test(pattern))
  const usual = about[general]?.action ?? "ask"
  return about.slice(general + 1).some(({ action }) => isStricter(action, usual))
}

export function isStricter(one: Action, other: Action): boolean {
  return severity[one] > severity[other]
}

export function judgeBy(policy: Policy): Judge {
  return typeof policy === "function" ? policy : (access) => judge(policy, access)
}

/** Gives the strictest judgement of all, with the access responsible. A call that touches nothing is allowed. */
export function judgeAll(policy: Policy, accesses: readonly Access[]): Verdict {
  const decide = judgeBy(policy)
  let verdict: Verdict = { action: "allow" }
  for (const access of accesses) {
    const action = decide(access)
    if (verdict.access === undefined || severity[action] > severity[verdict.action])
      verdict = { action, access }
  }
  return verdict
}

/**
 * Limits a subagent: it never may do more than its parent. Judged per access, since no merged list of rules would say
 * it: the last match of one list must not undo a denial of the other.
 */
export function within(parent: Policy, child: Policy): Judge {
  const [outer, inner] = [judgeBy(parent), judgeBy(child)]
  return (access) => stricter(outer(access), inner(access))
}

export function stricter(one: Action, other: Action): Action {
  return severity[one] >= severity[other] ? one : other
}

/** Applies `--yes`: what would be asked is allowed; what is denied stays denied. */
export function withoutAsking(action: Action): Action {
  return action === "ask" ? "allow" : action
}

const pathPermissions = new Set(["read", "edit", "outside"])
const effectful = new Set(["bash", "mcp"])

function isFor(rule: PermissionRule, access: Access): boolean {
  const { permission: name, effect = "unknown" } = access
  const names = effectful.has(name) ? [name, `${name}:${effect}`] : [name]
  const permission = matcher(rule.permission, false)
  return names.some((one) => permission(one))
}

function surely(rule: PermissionRule, { permission, target, exact = true }: Access): boolean {
  if (/^\*+$/.test(rule.pattern)) return true
  return exact && matcher(patternOf(rule, permission), pathPermissions.has(permission))(target)
}

/** Hosts are written in capital and in small letters, and asked about in small ones. */
function patternOf({ pattern }: PermissionRule, permission: string): string {
  return permission === "fetch" ? pattern.toLowerCase() : pattern
}

function perhaps(rule: PermissionRule, { permission, target, perhaps: guesses = [] }: Access): boolean {
  if (matcher(patternOf(rule, permission), pathPermissions.has(permission))(target)) return true
  return guesses.some((guess) => overlap(rule.pattern, guess))
}

const matchers = new Map<string, Matches>()

function matcher(pattern: string, isPath: boolean): Matches {
  const key = `${isPath ? "path" : "text"} ${pattern}`
  const known = matchers.get(key) ?? permissionPattern(pattern, isPath)
  matchers.set(key, known)
  return known
}
