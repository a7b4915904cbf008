import { callToolId } from '../../ports/built-in-tool-ids.ts'
import type { AssistantPart, ToolCallPart } from '../../ports/message.ts'
import { isJsonObject } from '../../json/json-object.ts'
import { parseArguments } from './parse-arguments.ts'
import type { RunTools } from './run-tools.ts'

/**
 * Names the tool that a call is for by its id. A call of `call_tool` becomes one of the tool that it names (D35), before guards,
 * rules, the ledger or a person see it.
 */
export function withToolId(tools: Pick<RunTools, 'byId' | 'idOf'>, part: AssistantPart): AssistantPart {
  if (part.type !== 'tool_call') return part
  const name = tools.idOf(part.name)
  const call = name === part.name ? part : { ...part, name }
  return name === callToolId && tools.byId.has(callToolId) ? toNamedCall(tools, call) : call
}

/** One that names no other tool stays as it is: its check says what is wrong. */
function toNamedCall(tools: Pick<RunTools, 'byId' | 'idOf'>, call: ToolCallPart): ToolCallPart {
  const { args } = call
  if (!isJsonObject(args) || typeof args['tool'] !== 'string') return call
  const given = args['tool'].trim()
  const name = tools.byId.has(given) ? given : tools.idOf(given)
  if (name === '' || name === callToolId) return call
  const own = args['arguments'] ?? {}
  // some models write the arguments as a text
  return { ...call, name, args: typeof own === 'string' ? parseArguments(own) : own, via: callToolId }
}
