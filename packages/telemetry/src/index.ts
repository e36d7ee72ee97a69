/**
 * Sends traces and metrics of Sotto's sessions to a collector, with OpenTelemetry's SDK. The harness loads this package
 * when OpenTelemetry's variables ask for it: it needs only to be installed beside `sotto` or `@sotto/harness`.
 */
import type { Telemetry, TelemetryStart } from "@sotto/harness/telemetry"
import { TelemetryObserver } from "./observer.js"

/** Starts telemetry for this process. */
export function start(options: TelemetryStart): Promise<Telemetry> {
  return TelemetryObserver.start(options)
}
