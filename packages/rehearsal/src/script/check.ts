import type { Json } from "@sotto/core"
import { isObject } from "../json.js"
import { FieldReader, type Path, shown, type Wrong } from "./fields.js"
import { patternOf } from "./pattern.js"
import type { Expectation, Script, ScriptedCall, ScriptedFailure, ScriptFor, ScriptStep } from "./script.js"

/** Reads a script from a plain value: a list of steps, or a mapping with one. */
export function checkScript(value: unknown, wrong: Wrong): Script {
  const known = ["steps", "scripts", "counting"]
  const whole = new FieldReader(Array.isArray(value) ? { steps: value } : value, [], known, wrong)
  // A bare list has no "steps" in front of its indexes.
  const base: Path = Array.isArray(value) ? [] : ["steps"]
  const scripts = whole.list("scripts", (script, path) => checkScriptFor(script, path, wrong))
  const counting = whole.oneOf("counting", ["answers", "requests"])
  if (scripts !== undefined && counting === "requests")
    throw wrong(["counting"], "should not be requests where there are scripts for several conversations")
  const steps = whole.list("steps", (step, path) => checkStep(step, [...base, ...path.slice(1)], wrong)) ?? []
  if (steps.length === 0 && scripts === undefined)
    throw wrong(base, "should be a list of steps, and there are none")
  return { steps, ...present({ scripts, counting }) }
}

function checkScriptFor(value: unknown, path: Path, wrong: Wrong): ScriptFor {
  const fields = new FieldReader(value, path, ["when", "steps"], wrong)
  const when = fields.required("when")
  if (patternOf(when) === undefined) throw wrong([...path, "when"], `is not a regular expression: ${when}`)
  const steps = fields.list("steps", (step, at) => checkStep(step, at, wrong)) ?? []
  if (steps.length === 0) throw wrong([...path, "steps"], "should be a list of steps, and there are none")
  return { when, steps }
}

function checkStep(value: unknown, path: Path, wrong: Wrong): ScriptStep {
  const known = [
    "text",
    "reasoning",
    "search",
    "calls",
    "stop",
    "delay",
    "tokenDelay",
    "disobey",
    "expect",
    "fail",
  ]
  const fields = new FieldReader(value, path, known, wrong)
  return present({
    text: fields.text("text"),
    reasoning: fields.text("reasoning"),
    search: fields.text("search"),
    calls: fields.list("calls", (call, at) => checkCall(call, at, wrong)),
    stop: fields.oneOf("stop", ["end", "tool-calls", "length", "refusal"]),
    delay: fields.number("delay"),
    tokenDelay: fields.number("tokenDelay"),
    disobey: fields.flag("disobey"),
    expect: fields.list("expect", (one, at) => checkExpectation(one, at, wrong)),
    fail: fields.list("fail", (one, at) => checkFailure(one, at, wrong)),
  })
}

function checkCall(value: unknown, path: Path, wrong: Wrong): ScriptedCall {
  const fields = new FieldReader(value, path, ["name", "input", "id"], wrong)
  return {
    name: fields.required("name"),
    ...present({ input: fields.mapping<Json>("input"), id: fields.text("id") }),
  }
}

function checkExpectation(value: unknown, path: Path, wrong: Wrong): Expectation {
  const patterns = ["told", "notTold", "reminder", "system"] as const
  const fields = new FieldReader(value, path, [...patterns, "carrier", "tool_choice", "tools"], wrong)
  const text = (name: (typeof patterns)[number]) => {
    const found = fields.text(name)
    if (found !== undefined && patternOf(found) === undefined)
      throw wrong([...path, name], `is not a regular expression: ${found}`)
    return found
  }
  return present({
    told: text("told"),
    notTold: text("notTold"),
    reminder: text("reminder"),
    system: text("system"),
    carrier: fields.oneOf("carrier", ["system-message", "tool-result", "user-text", "assistant-text"]),
    tool_choice: fields.oneOf("tool_choice", ["auto", "none", "required"]),
    tools: fields.list("tools", (name, at) => {
      if (typeof name !== "string") throw wrong(at, `should be the name of a tool, and is ${shown(name)}`)
      return name
    }),
  })
}

const FAILURES = ["status", "drop", "event", "malformed", "refuse"]

function checkFailure(value: unknown, path: Path, wrong: Wrong): ScriptedFailure {
  const fields = new FieldReader(value, path, [...FAILURES, "retryAfter", "message"], wrong)
  const named = FAILURES.filter((name) => isObject(value) && value[name] !== undefined)
  if (named.length !== 1) throw wrong(path, `should have exactly one of ${FAILURES.join(", ")}`)
  const status = errorStatus("status")
  if (status !== undefined)
    return {
      status,
      ...present({ retryAfter: fields.number("retryAfter"), message: fields.text("message") }),
    }
  const drop = fields.oneOf("drop", ["before", "middle"])
  if (drop) return { drop }
  const event = errorStatus("event")
  if (event !== undefined) return { event }
  if (fields.oneOf("refuse", ["system"])) return { refuse: "system" }
  if (fields.flag("malformed") !== true) throw wrong([...path, "malformed"], "should be true")
  return { malformed: true }

  function errorStatus(name: string): number | undefined {
    const found = fields.number(name)
    if (found !== undefined && !(Number.isInteger(found) && found >= 400 && found <= 599))
      throw wrong([...path, name], `should be a status from 400 to 599, and is ${found}`)
    return found
  }
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> }

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
}
