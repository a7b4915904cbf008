import type {
  OpenAiResponse,
  ResponseOutputMessage,
  ResponseRequest,
  ResponseText,
  ResponseUsage,
  Usage,
} from '@homeward/contract/agent-platform'
import type { Answer } from './open-run.ts'
import { toOpenAiError } from './openai-errors.ts'
import type { StreamWriter } from './sse-reply.ts'

/** What every form of one response says. */
interface ResponseHead {
  readonly runId: string
  readonly created: number
  readonly body: ResponseRequest
}

type State = Pick<OpenAiResponse, 'status' | 'output'> & Partial<OpenAiResponse>

function toResponse({ runId, created, body }: ResponseHead, state: State): OpenAiResponse {
  return {
    id: `resp_${runId}`,
    object: 'response',
    created_at: created,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: body.model,
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: null },
    text: { format: body.text?.format ?? { type: 'text' } },
    temperature: body.temperature ?? null,
    tool_choice: 'auto',
    tools: [],
    top_p: body.top_p ?? null,
    truncation: 'disabled',
    usage: null,
    user: body.user ?? null,
    metadata: {},
    ...state,
  }
}

/** An answer as a response. */
export function toOpenAiResponse(head: ResponseHead, answer: Answer): OpenAiResponse {
  return toEnded(head, answer, answer.text)
}

function toEnded(head: ResponseHead, { finish, result }: Answer, text: string): OpenAiResponse {
  const status = finish === 'length' ? 'incomplete' : 'completed'
  return toResponse(head, {
    status,
    output: [toMessage(head, status, text)],
    incomplete_details: finish === 'length' ? { reason: 'max_output_tokens' } : null,
    usage: toUsage(result.usage),
  })
}

const toText = (text: string): ResponseText => ({ type: 'output_text', text, annotations: [], logprobs: [] })

function toMessage(
  { runId }: ResponseHead,
  status: ResponseOutputMessage['status'],
  text: string | undefined,
): ResponseOutputMessage {
  const content = text === undefined ? [] : [toText(text)]
  return { id: `msg_${runId}`, type: 'message', status, role: 'assistant', content }
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

/** An answer as the typed events of a response: one message with one text. */
export function createResponseWriter(head: ResponseHead): StreamWriter {
  let sequence = 0
  let text = ''
  const write = (type: string, fields: object) => {
    const event = { type, sequence_number: sequence, ...fields }
    sequence += 1
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
  }
  const place = { item_id: `msg_${head.runId}`, output_index: 0, content_index: 0 }

  return {
    begin() {
      const response = toResponse(head, { status: 'in_progress', output: [] })
      return [
        write('response.created', { response }),
        write('response.in_progress', { response }),
        write('response.output_item.added', {
          output_index: 0,
          item: toMessage(head, 'in_progress', undefined),
        }),
        write('response.content_part.added', { ...place, part: toText('') }),
      ].join('')
    },
    part(part) {
      if ('delta' in part) {
        text += part.delta
        return write('response.output_text.delta', { ...place, delta: part.delta, logprobs: [] })
      }
      const response = toEnded(head, part.answer, text)
      return [
        write('response.output_text.done', { ...place, text, logprobs: [] }),
        write('response.content_part.done', { ...place, part: toText(text) }),
        write('response.output_item.done', { output_index: 0, item: response.output[0] }),
        write(`response.${response.status}`, { response }),
      ].join('')
    },
    fail(error) {
      const { code, message } = toOpenAiError(error).error
      const output = text === '' ? [] : [toMessage(head, 'incomplete', text)]
      const reason = { code: code ?? 'server_error', message }
      return write('response.failed', {
        response: toResponse(head, { status: 'failed', output, error: reason }),
      })
    },
  }
}
