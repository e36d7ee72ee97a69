import { SottoError } from "@sotto/core"
import { ModelSetupError } from "./models/error.js"
import { ToolError } from "./platform/text/errors.js"
import { CommandError } from "./session/loop/command-fields.js"
import { UnknownStyle } from "./settings/agents/styles.js"
import { ConfigError } from "./settings/config/error.js"
import { TrustError } from "./settings/trust/answers.js"
import { StoreError } from "./store/error.js"

/** Says how an error is to be taken: as wrong use or set-up, as a failure that is explained, or as a fault of ours. */
export function isForTheUser(error: unknown): "usage" | "failure" | undefined {
  if (error instanceof UnknownStyle || error instanceof CommandError) return "usage"
  if (error instanceof ConfigError) return "usage"
  if (error instanceof ModelSetupError) return error.code === "no-key" ? "failure" : "usage"
  if (error instanceof SottoError)
    return error.code === "unknown-agent" || error.code === "bad-rule" ? "usage" : "failure"
  return [StoreError, TrustError, ToolError].some((explained) => error instanceof explained)
    ? "failure"
    : undefined
}
