import type { LanguageModelV4ToolCall } from '@ai-sdk/provider'
import type { ToolCallPart } from '../../ports/message.ts'
import type { ModelTurn } from './model-turn.ts'
import { parseArguments } from './parse-arguments.ts'

/** Adds a tool call of the model to its turn, under an id that no other call of the turn has. */
export function addCall(turn: ModelTurn, part: LanguageModelV4ToolCall): void {
  turn.hasBegun = true
  const call: ToolCallPart = {
    type: 'tool_call',
    id: isFree(turn, part.toolCallId) ? part.toolCallId : toFreeId(turn, part.toolCallId || 'call'),
    name: part.toolName,
    args: parseArguments(part.input),
  }
  // provider metadata is JSON by its contract
  const told = part.providerMetadata as ToolCallPart['provider_data']
  const whole = told ? { ...call, provider_data: told } : call
  turn.calls.push(whole)
  turn.parts.push(whole)
}

const isFree = ({ calls }: ModelTurn, id: string) => Boolean(id) && !calls.some((call) => call.id === id)

/** Some servers give no id, or the same one to all calls of a turn: results are told apart by it. */
function toFreeId(turn: ModelTurn, given: string): string {
  let number = turn.calls.length + 1
  while (!isFree(turn, `${given}-${number}`)) number += 1
  return `${given}-${number}`
}
