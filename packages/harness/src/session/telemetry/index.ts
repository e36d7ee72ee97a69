/**
 * What `@sotto/telemetry` knows of the harness: the interface by which sessions are watched. All of it is types, so that
 * the package brings no second harness along.
 */

export type { ModelLink } from "../../models/model-link.js"
export type { Environment } from "../../platform/workspace/folders.js"
export type { HarnessEvent, TurnEnd } from "../../tools/events/events.js"
export type { Output, Tool } from "../../tools/tool.js"
export type { AskedTelemetry } from "./asked.js"
export type {
  AddressedLink,
  CarriedOut,
  SessionAbout,
  SessionTelemetry,
  StoreClock,
  Telemetry,
  TelemetryOptions,
  TelemetryPackage,
  TelemetryStart,
  TraceHeaders,
} from "./telemetry.js"
