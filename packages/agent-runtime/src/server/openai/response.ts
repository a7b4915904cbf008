import type {
  OpenAiFormat,
  OpenAiResponse,
  ResponseFunctionCall,
  ResponseOutputMessage,
  ResponseRequest,
  ResponseText,
  ResponseTool,
  ResponseUsage,
  Usage,
} from '@homeward/contract/agent-platform'
import type { ToolCall } from './caller-tools.ts'
import type { Answer } from './open-run.ts'
import { toOpenAiError } from './openai-errors.ts'
import type { StreamWriter } from './sse-reply.ts'

/** What every form of one response says. */
export interface ResponseHead {
  /** Its id and that of its message have this behind their kind: the run's id, and a number if the run continued. */
  readonly name: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly body: ResponseRequest
  readonly conversationId: string | undefined
  readonly nowSeconds: () => number
}

type State = Pick<OpenAiResponse, 'status' | 'output'> & Partial<OpenAiResponse>

function toResponse({ name, created, body, conversationId }: ResponseHead, state: State): OpenAiResponse {
  return {
    id: `resp_${name}`,
    object: 'response',
    created_at: created,
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model: body.model,
    parallel_tool_calls: true,
    previous_response_id: body.previous_response_id ?? null,
    ...(conversationId !== undefined && { conversation: { id: conversationId } }),
    store: body.store ?? true,
    background: false,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    text: { format: toFormat(body.text?.format) },
    temperature: body.temperature ?? 1,
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map(toTool),
    top_p: body.top_p ?? 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    truncation: body.truncation ?? 'disabled',
    service_tier: 'default',
    usage: null,
    user: body.user ?? null,
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    metadata: body.metadata ?? {},
    ...state,
  }
}

function toFormat(format: OpenAiFormat = { type: 'text' }): OpenAiFormat {
  if (format.type !== 'json_schema') return format
  const { name = 'output', description = null, strict = false } = format
  return { ...format, name, description, strict: strict === true }
}

function toTool(given: unknown): ResponseTool {
  const { name = '', description, parameters, strict } = given as Partial<ResponseTool> // it was read before
  return {
    type: 'function',
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  }
}

/** An answer as a response. @param text what was sent of it, if that differs */
export function toOpenAiResponse(head: ResponseHead, answer: Answer, text = answer.text): OpenAiResponse {
  const { finish, result, toolCalls = [] } = answer
  const status = finish === 'length' ? 'incomplete' : 'completed'
  const hasMessage = text !== '' || toolCalls.length === 0
  return toResponse(head, {
    status,
    output: [
      ...(hasMessage ? [toMessage(head, status, text)] : []),
      ...toolCalls.map((call) => toFunctionCall('completed', call)),
    ],
    completed_at: status === 'completed' ? head.nowSeconds() : null,
    incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
    usage: toUsage(result.usage),
  })
}

const toText = (text: string): ResponseText => ({ type: 'output_text', text, annotations: [], logprobs: [] })

function toMessage(
  { name }: ResponseHead,
  status: ResponseOutputMessage['status'],
  text: string | undefined,
): ResponseOutputMessage {
  const content = text === undefined ? [] : [toText(text)]
  return { id: `msg_${name}`, type: 'message', status, role: 'assistant', content }
}

function toFunctionCall(
  status: ResponseFunctionCall['status'],
  { id: callId, ...named }: ToolCall,
): ResponseFunctionCall {
  return { id: callId.replace('call_', 'fc_'), type: 'function_call', status, call_id: callId, ...named }
}

function toUsage({
  input_tokens,
  output_tokens,
  cached_input_tokens = 0,
  reasoning_tokens = 0,
}: Usage): ResponseUsage {
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cached_input_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  }
}

/**
 * An answer as the typed events of a response: one message with one text, then the calls of tools of the caller.
 *
 * @param onEnd told of the whole response, before its last event is sent
 */
export function createResponseWriter(
  head: ResponseHead,
  onEnd: (response: OpenAiResponse) => Promise<void>,
): StreamWriter {
  let sequence = 0
  let text: string | undefined
  const write = (type: string, fields: object) => {
    const event = { type, sequence_number: sequence, ...fields }
    sequence += 1
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }
  const place = { item_id: `msg_${head.name}`, output_index: 0, content_index: 0 }

  function openMessage(): string {
    if (text !== undefined) return ''
    text = ''
    const item = toMessage(head, 'in_progress', undefined)
    return (
      write('response.output_item.added', { output_index: 0, item }) +
      write('response.content_part.added', { ...place, part: toText('') })
    )
  }

  function endMessage(item: ResponseOutputMessage): string {
    const whole = text ?? ''
    return [
      openMessage(),
      write('response.output_text.done', { ...place, text: whole, logprobs: [] }),
      write('response.content_part.done', { ...place, part: toText(whole) }),
      write('response.output_item.done', { output_index: 0, item }),
    ].join('')
  }

  function writeCall(item: ResponseFunctionCall, output_index: number): string {
    const at = { item_id: item.id, output_index }
    const added = { ...item, status: 'in_progress', arguments: '' }
    return [
      write('response.output_item.added', { output_index, item: added }),
      write('response.function_call_arguments.delta', { ...at, delta: item.arguments }),
      write('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments }),
      write('response.output_item.done', { output_index, item }),
    ].join('')
  }

  return {
    begin() {
      const response = toResponse(head, { status: 'in_progress', output: [] })
      return write('response.created', { response }) + write('response.in_progress', { response })
    },
    async part(part) {
      if ('delta' in part) {
        const opened = openMessage()
        text += part.delta
        return opened + write('response.output_text.delta', { ...place, delta: part.delta, logprobs: [] })
      }
      const response = toOpenAiResponse(head, part.answer, text ?? '')
      await onEnd(response)
      const items = response.output.map((item, index) =>
        item.type === 'message' ? endMessage(item) : writeCall(item, index),
      )
      return `${items.join('')}${write(`response.${response.status}`, { response })}${done}`
    },
    fail(error) {
      const { code, message } = toOpenAiError(error).error
      const output = text ? [toMessage(head, 'incomplete', text)] : []
      const reason = { code: code ?? 'server_error', message }
      const response = toResponse(head, { status: 'failed', output, error: reason })
      return write('response.failed', { response }) + done
    },
  }
}

const done = 'data: [DONE]\n\n'
