import { type Attributes, type Context, SpanKind, trace } from "@opentelemetry/api"
import type { ToolCallPart } from "@sotto/core"
import type { CarriedOut, Tool } from "@sotto/harness/telemetry"
import { argumentContent, resultContent } from "./content.js"
import { ATTRIBUTE, SPAN } from "./names.js"
import { fail, type Redactor, since, type TelemetryParts } from "./parts.js"

export interface ToolOptions {
  readonly session: string
  readonly parent: Context
  readonly redacting: Redactor | undefined
}

/** Carries out a call, as a span. What it opens meanwhile is below it. */
export async function toolCall<T extends CarriedOut>(
  call: ToolCallPart,
  tool: Tool | undefined,
  work: () => Promise<T>,
  { tracer, instruments, running }: TelemetryParts,
  { session, parent, redacting }: ToolOptions,
): Promise<T> {
  const attributes = {
    ...toolAttributes(call, tool),
    [ATTRIBUTE.conversation]: session,
    ...(redacting && argumentContent(call, redacting)),
  }
  const span = tracer.startSpan(`${SPAN.tool} ${call.name}`, { kind: SpanKind.INTERNAL, attributes }, parent)
  const began = performance.now()
  const counted: Attributes = { [ATTRIBUTE.toolName]: call.name }
  try {
    const carried = await running.run(trace.setSpan(parent, span), work)
    const { output, ran } = carried
    if (redacting) span.setAttributes(resultContent(output, redacting))
    if (output.error) {
      counted[ATTRIBUTE.error] = ran === undefined ? "not_run" : "tool_error"
      fail(span, String(counted[ATTRIBUTE.error]))
    }
    return carried
  } catch (error) {
    counted[ATTRIBUTE.error] = "_OTHER"
    fail(span, "_OTHER")
    throw error
  } finally {
    instruments.toolTime.record(since(began), counted)
    span.end()
  }
}

/**
 * Describes a call. A tool of an MCP server reaches outside by itself; any other is a function that Sotto runs for the
 * model.
 */
function toolAttributes({ id, name }: ToolCallPart, tool: Tool | undefined): Attributes {
  return {
    [ATTRIBUTE.operation]: SPAN.tool,
    [ATTRIBUTE.toolName]: name,
    [ATTRIBUTE.toolCall]: id,
    [ATTRIBUTE.toolType]: tool?.foreign ? "extension" : "function",
    ...(tool && { [ATTRIBUTE.toolDescription]: firstLine(tool.definition.description) }),
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? ""
}
