import type { Rehearsal, Script, RehearsalOptions as ServedOptions } from "@sotto/rehearsal"
import { ModelSetupError } from "./error.js"
import { PROVIDERS, SILENCE } from "./providers.js"
import type { ModelTarget } from "./target.js"

interface RehearsalOptions {
  readonly script?: Script
  readonly tokenDelay?: number
}

/**
 * Makes the stand-in, in this process, on loopback. It starts with the first call, and plays any model: the name says
 * whose rules it applies, and whose API it is spoken to in.
 */
export function rehearsalTarget(name: string, model: string, options: RehearsalOptions): ModelTarget {
  let started: Promise<Rehearsal> | undefined
  const provider = PROVIDERS[providerOf(model)]
  return {
    name,
    dialect: provider.dialect,
    silence: SILENCE.other,
    headers: "fixedHeaders" in provider ? provider.fixedHeaders : {},
    async url() {
      started ??= start(options)
      return provider.url((await started).url, model)
    },
    async close() {
      const rehearsal = await started
      started = undefined
      await rehearsal?.close()
    },
  }
}

export interface ServeRehearsal extends Omit<ServedOptions, "script"> {
  /** A script as YAML or JSON. Without one the rehearsal plays its tour. */
  readonly script?: { readonly text: string; readonly file: string }
}

/** Starts the stand-in for programs other than Sotto. A script with a mistake is an error that names file and line. */
export async function serveRehearsal({ script, ...options }: ServeRehearsal): Promise<Rehearsal> {
  const { parseScript, ScriptError, startRehearsal } = await import("@sotto/rehearsal")
  try {
    const parsed = script && parseScript(script.text, script.file)
    return await startRehearsal({ ...options, ...(parsed && { script: parsed }) })
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new ModelSetupError("bad-script", `${error.message}.`, "docs/rehearsal.md describes scripts.")
  }
}

function providerOf(model: string): "anthropic" | "openai" | "google" {
  if (/^(gpt|o\d|codex)/.test(model)) return "openai"
  return model.startsWith("gemini") ? "google" : "anthropic"
}

async function start({ script, tokenDelay }: RehearsalOptions): Promise<Rehearsal> {
  const { startRehearsal } = await import("@sotto/rehearsal")
  return startRehearsal({ ...(script && { script }), ...(tokenDelay !== undefined && { tokenDelay }) })
}

/** Gives what a person who shows the tour says to the stand-in, by scene. Loaded when it is asked for. */
export async function tourPrompts(): Promise<{ readonly around: string; readonly plan: string }> {
  const { TOUR_PROMPTS } = await import("@sotto/rehearsal")
  return TOUR_PROMPTS
}
