import type {
  ChatCompletionRequest,
  OpenAiContent,
  ResponseInputItem,
  ResponseRequest,
} from '@homeward/contract/agent-platform'
import { isOwnCall, type CallOutput, type RequestEnd, type ToolCall } from './caller-tools.ts'
import { invalidField } from './openai-errors.ts'
import { readContent } from './read-content.ts'

/** A message of a request. */
export interface Said {
  readonly role: string
  readonly content: OpenAiContent | undefined
  /** Where it stands in the request. */
  readonly place: string
}

/** A call of a tool of the caller, in the history of a request. */
interface MadeCall {
  readonly callId: string
  readonly name: string
  readonly arguments: string
}

/** What a request holds, in its order, whichever API it is of. */
export type RequestItem =
  | ({ readonly kind: 'said' } & Said)
  | ({ readonly kind: 'call' } & MadeCall)
  | ({ readonly kind: 'output' } & CallOutput)

/** The items of a chat completion's request. */
export function fromMessages(messages: ChatCompletionRequest['messages']): RequestItem[] {
  return messages.flatMap(({ role, content, tool_calls: calls = [], tool_call_id = '' }, index) => {
    const place = `messages[${index}]`
    if (role === 'tool') return [{ kind: 'output', callId: tool_call_id, content, place }]
    const said: RequestItem = { kind: 'said', role, content, place }
    if (calls.length === 0) return [said]
    const hasText = readContent(content, place).text !== ''
    return [...(hasText ? [said] : []), ...calls.map(toMadeCall)]
  })
}

function toMadeCall(given: unknown): RequestItem {
  const { id, function: named } = Object(given) as { readonly id?: unknown; readonly function?: unknown }
  const { name, arguments: args } = Object(named) as Readonly<Record<string, unknown>>
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))
  return { kind: 'call', callId: textOf(id), name: textOf(name), arguments: textOf(args) }
}

/** The items of a response's request. @throws {HttpError} 400 for types that are not supported */
export function fromInput(input: ResponseRequest['input']): RequestItem[] {
  if (typeof input === 'string') return [{ kind: 'said', role: 'user', content: input, place: 'input' }]
  return input.flatMap((item, index) => fromItem(item, `input[${index}]`))
}

function fromItem(item: ResponseInputItem, place: string): RequestItem[] {
  const { type = 'message', role = '', content, call_id: callId = '', name = '', output } = item
  switch (type) {
    case 'message':
      return [{ kind: 'said', role, content, place }]
    case 'function_call':
      return [{ kind: 'call', callId, name, arguments: item.arguments ?? '{}' }]
    case 'function_call_output':
      return [{ kind: 'output', callId, content: output, place }]
    // clients send back what they got; the reasoning of an agent is never in it
    case 'reasoning':
      return []
    default:
      throw invalidField(
        place,
        `items of type "${type.slice(0, 50)}" are not supported. Send messages, function calls and their outputs.`,
      )
  }
}

/** How each of the two APIs names what is missing. */
export const missingOutputs = {
  chat: (ids: readonly string[]): never => {
    throw invalidField(
      'messages',
      'an assistant message with "tool_calls" must be followed by "tool" messages for each "tool_call_id". ' +
        `These have none: ${ids.join(', ')}. Send one for each.`,
    )
  },
  response: (ids: readonly string[]): never => {
    throw invalidField(
      'input',
      `No tool output found for function call ${ids.join(', ')}. Send a "function_call_output" for each.`,
    )
  },
} as const

/**
 * Checks that each call has an output, as the OpenAI API does.
 *
 * @param pending ids of the calls of the response that the request continues
 * @throws {HttpError} 400 that names the calls without one
 */
export function assertOutputs(
  items: readonly RequestItem[],
  refuse: RequestEnd['refuse'],
  pending: readonly string[] = [],
): void {
  const outputs = new Set(idsOf(items, 'output'))
  const missing = [...pending, ...idsOf(items, 'call')].filter((id) => !outputs.has(id))
  if (missing.length > 0) refuse([...new Set(missing)])
}

/**
 * Checks that each output is of a call that the server made, or that the request has.
 *
 * @throws {HttpError} 400 that names an output without a call
 */
export function assertCalls(items: readonly RequestItem[]): void {
  const calls = new Set(idsOf(items, 'call'))
  const lost = idsOf(items, 'output').find((id) => !calls.has(id) && !isOwnCall(id))
  if (lost !== undefined)
    throw invalidField('input', `No tool call found for function call output with call_id "${lost}".`)
}

const idsOf = (items: readonly RequestItem[], kind: 'call' | 'output') =>
  items.flatMap((item) => (item.kind === kind && 'callId' in item ? [item.callId] : []))

/** The outputs of calls that a request ends with, and what the user says behind them; undefined for a request without. */
export function readEnd(items: readonly RequestItem[], refuse: RequestEnd['refuse']): RequestEnd | undefined {
  const isUser = (item: RequestItem) => item.kind === 'said' && item.role === 'user'
  const saidFrom = items.findLastIndex((item) => !isUser(item)) + 1
  const outputsFrom = items.slice(0, saidFrom).findLastIndex(({ kind }) => kind === 'said') + 1
  const outputs = items.slice(outputsFrom, saidFrom).flatMap((item) => (item.kind === 'output' ? [item] : []))
  if (outputs.length === 0) return undefined
  const said = items.slice(saidFrom).flatMap((item) => (item.kind === 'said' ? [item] : []))
  return { outputs, said, refuse }
}

/** A call as a plain history has it. */
export const toCallText = ({ id, name, arguments: args }: ToolCall): string =>
  `Call: ${JSON.stringify({ id, name, arguments: args })}`

/** The same as messages: calls and outputs are texts. */
export function toPlainHistory(items: readonly RequestItem[]): Said[] {
  const history: Said[] = []
  for (const item of items) {
    if (item.kind === 'said') history.push(item)
    else if (item.kind === 'output') {
      const { text } = readContent(item.content, item.place)
      history.push({ role: 'user', content: `Result of a call:\n${text}`, place: item.place })
    } else {
      const call = toCallText({ ...item, id: item.callId })
      const last = history.at(-1)
      if (last?.role !== 'assistant') history.push({ role: 'assistant', content: call, place: '' })
      else {
        const before = readContent(last.content, last.place).text
        history[history.length - 1] = { ...last, content: `${before}\n${call}`.trim() }
      }
    }
  }
  return history
}
