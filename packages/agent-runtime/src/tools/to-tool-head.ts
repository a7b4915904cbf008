import type { Tool } from '../ports/tool.ts'
import type { ToolDefinition } from '../skills/definitions/tool-definition.ts'
import { toModelSchema } from './to-model-schema.ts'

/** Time beyond a tool's own limit after which the run gives it up, in milliseconds. */
const backstopMs = 5000

/** What the tools of skills have in common, whatever they do. What they give is untrusted content. */
export function toToolHead(definition: ToolDefinition): Omit<Tool, 'call'> {
  const { id, description, parameters, effects, repeat, timeoutMs } = definition
  return {
    id,
    description,
    parameters: toModelSchema(parameters),
    effects,
    repeat,
    untrusted: true,
    // the tool ends by itself, and says why; this is for when it does not
    timeoutMs: timeoutMs + backstopMs,
  }
}
