import type { Tool } from '../ports/tool.ts'
import type { ToolDefinition } from '../skills/definitions/tool-definition.ts'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'

/** Time beyond a tool's own limit after which the run gives it up, in milliseconds. */
const backstopMs = 5000

/** What the tools of skills have in common, whatever they do. What they give is untrusted content. */
export function toToolHead(definition: ToolDefinition): Omit<Tool, 'execute'> {
  const { id, description, inputSchema, effects, idempotent, timeoutMs } = definition
  return {
    id,
    description,
    inputSchema: toModelSchema(inputSchema),
    effects,
    idempotent,
    returnsUntrustedContent: true,
    // the tool ends by itself, and says why; this is for when it does not
    timeoutMs: timeoutMs + backstopMs,
  }
}

/**
 * A tool's parameters as models and JSON Schema checkers read them: without `in`, which says where an HTTP tool puts a
 * parameter, and without formats of our own.
 */
function toModelSchema(parameters: JsonObject): JsonObject {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {}
  const plain = Object.entries(properties).map(([name, property]): [string, Json] => [
    name,
    isJsonObject(property) ? withoutOwnFormat(withoutPlace(property)) : property,
  ])
  return { ...parameters, properties: Object.fromEntries(plain) }
}

function withoutPlace(property: JsonObject): JsonObject {
  const { in: _place, ...schema } = property
  return schema
}

function withoutOwnFormat(schema: JsonObject): JsonObject {
  const { format, ...rest } = schema
  const items = isJsonObject(rest['items']) ? { items: withoutOwnFormat(rest['items']) } : {}
  if (format === undefined) return { ...rest, ...items }
  if (format !== 'workspace-path') return { ...rest, ...items, format }
  return { description: 'Relative path in the workspace.', ...rest, ...items }
}
