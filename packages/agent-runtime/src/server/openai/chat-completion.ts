import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  Usage,
} from '@homeward/contract/agent-platform'
import type { ToolCall } from './caller-tools.ts'
import type { Answer } from './open-run.ts'
import { toOpenAiError } from './openai-errors.ts'
import type { StreamWriter } from './sse-reply.ts'

/** What every object of one completion says. */
interface CompletionHead {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** An answer as a chat completion. */
export function toChatCompletion(
  head: CompletionHead,
  { text, finish, result, toolCalls }: Answer,
): ChatCompletion {
  const content = toolCalls && text === '' ? null : text
  const message = {
    role: 'assistant' as const,
    content,
    refusal: null,
    ...(toolCalls && { tool_calls: toolCalls.map(toChatCall) }),
  }
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: toChatUsage(result.usage),
  }
}

const toChatCall = ({ id, ...named }: ToolCall) => ({ id, type: 'function' as const, function: named })

function toChatUsage({
  input_tokens,
  output_tokens,
  cached_input_tokens = 0,
  reasoning_tokens = 0,
}: Usage): ChatCompletion['usage'] {
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cached_input_tokens },
    completion_tokens_details: { reasoning_tokens },
  }
}

/** An answer as chunks of a chat completion, ended by `[DONE]`. */
export function createChatWriter(
  head: CompletionHead,
  { stream_options }: Pick<ChatCompletionRequest, 'stream_options'>,
): StreamWriter {
  const withUsage = stream_options?.include_usage === true
  const write = (fields: Pick<ChatCompletionChunk, 'choices' | 'usage'>) => {
    const usage = withUsage ? { usage: null } : {}
    const chunk: ChatCompletionChunk = { ...head, object: 'chat.completion.chunk', ...usage, ...fields }
    return `data: ${JSON.stringify(chunk)}\n\n`
  }
  const choose = (
    delta: ChatCompletionChunk['choices'][number]['delta'],
    finish_reason: ChatCompletionChunk['choices'][number]['finish_reason'] = null,
  ) => write({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })

  return {
    begin: () => choose({ role: 'assistant', content: '' }),
    part(part) {
      if ('delta' in part) return choose({ content: part.delta })
      const { finish, result, toolCalls = [] } = part.answer
      const calls = toolCalls.map((call, index) => {
        const begun = choose({ tool_calls: [{ index, ...toChatCall({ ...call, arguments: '' }) }] })
        return begun + choose({ tool_calls: [{ index, function: { arguments: call.arguments } }] })
      })
      const usage = withUsage ? write({ choices: [], usage: toChatUsage(result.usage) }) : ''
      return `${calls.join('')}${choose({}, finish)}${usage}${done}`
    },
    fail: (error) => `data: ${JSON.stringify(toOpenAiError(error))}\n\n${done}`,
  }
}

const done = 'data: [DONE]\n\n'
