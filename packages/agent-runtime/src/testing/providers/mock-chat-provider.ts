import type { Json } from '@homeward/contract/agent-platform'
import {
  checkAnswerSchema,
  checkParameters,
  checkToolName,
  type Fields,
  isFields,
  listOf,
  refuseIf,
  textOf,
} from './checks.ts'
import {
  createStandIn,
  event,
  Refusal,
  type MockProvider,
  type MockProviderResponse,
  defaultUsage,
  type MockProviderOptions,
  type MockProviderUsage,
} from './mock-provider.ts'

/** Options of {@link createMockChatProvider}. */
export interface MockChatProviderOptions extends MockProviderOptions {
  /**
   * Whether user and assistant messages must alternate, as chat templates of Mistral and Gemma require on llama.cpp,
   * vLLM and LM Studio.
   *
   * @default false
   */
  readonly alternates?: boolean
  /** Context window in tokens, counted as a quarter of the characters. @default no limit */
  readonly windowTokens?: number
  /** Whether reasoning of the newest answers must be sent back, as DeepSeek and Kimi require. @default false */
  readonly wantsReasoning?: boolean
  /** Whether requests with tools are rejected, as Ollama does for models without tools. @default false */
  readonly hasNoTools?: boolean
}

/**
 * Creates a mock of a Chat Completions API: OpenAI's, or a compatible server.
 *
 * It rejects calls without immediate and complete results, results without a call, ids longer than 40 characters,
 * names and schemas that OpenAI rejects, and empty messages.
 *
 * @example
 * const server = createMockChatProvider({ alternates: true })
 * const create = createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:8080/v1', fetch: server.fetch })
 */
export function createMockChatProvider(options: MockChatProviderOptions = {}): MockProvider {
  let made = 0
  const { usage = defaultUsage } = options
  return createStandIn(
    {
      check: (body) => check(body, options),
      error: (message, status) => ({
        error: { message, type: 'invalid_request_error', param: null, code: status },
      }),
      stream: (answer, body) => stream(answer, usage(body), () => `call_${(made += 1)}`),
    },
    options,
  )
}

function check(body: Json, options: MockChatProviderOptions): void {
  const { messages, tools, reasoning_effort, model, response_format: format } = body as Fields
  const answer = isFields(format) ? format['json_schema'] : undefined
  if (isFields(answer)) {
    checkAnswerSchema(answer['schema'], `Invalid schema for response_format`, answer['strict'] === true)
  }
  const turns = listOf(messages, 'messages')
  refuseIf(turns.length === 0, "'messages' is too short")
  let open = new Set<unknown>()
  for (const [index, turn] of turns.entries()) {
    if (turn['role'] === 'tool') {
      refuseIf(
        !open.delete(turn['tool_call_id']),
        `messages.${index}: no call has the id of this 'tool' message`,
      )
      continue
    }
    refuseIf(
      open.size > 0,
      `messages.${index}: 'tool_calls' must be followed by messages for each 'tool_call_id'`,
    )
    open = checkTurn(turn, `messages.${index}`)
  }
  refuseIf(open.size > 0, "'tool_calls' must be followed by messages for each 'tool_call_id'")
  checkTools(tools, options)
  const isReasoning = /^gpt-(?:5\.[6-9]|[6-9])/.test(textOf(model))
  refuseIf(
    isReasoning && tools !== undefined && reasoning_effort !== 'none',
    `Function tools with reasoning_effort are not supported for ${textOf(model)} in /v1/chat/completions`,
  )
  if (options.alternates) checkTemplate(turns)
  if (options.wantsReasoning) checkReasoning(turns)
  if (options.windowTokens !== undefined) checkWindow(body, options.windowTokens)
}

function checkTurn(turn: Fields, where: string): Set<unknown> {
  const { role, content, tool_calls } = turn
  refuseIf(!['system', 'developer', 'user', 'assistant'].includes(textOf(role)), `${where}.role: is unknown`)
  const calls = tool_calls === undefined ? [] : listOf(tool_calls, `${where}.tool_calls`)
  const isEmpty =
    content === undefined || content === null || content === '' || (Array.isArray(content) && !content.length)
  refuseIf(isEmpty && calls.length === 0, `${where}.content: must not be empty`)
  refuseIf(
    role === 'user' && typeof content === 'string' && !content.trim(),
    `${where}.content: must not be blank`,
  )
  for (const { id, function: made } of calls) {
    refuseIf(
      typeof id !== 'string' || !id || id.length > 40,
      `${where}.tool_calls.id: string too long (at most 40)`,
    )
    refuseIf(!isFields(made), `${where}.tool_calls.function: required`)
    checkToolName((made as Fields)['name'], where)
    refuseIf(
      typeof (made as Fields)['arguments'] !== 'string',
      `${where}.tool_calls.arguments: must be a string`,
    )
  }
  const ids = new Set<unknown>(calls.map(({ id }) => id))
  refuseIf(ids.size < calls.length, `${where}.tool_calls: two calls have one id`)
  return ids
}

function checkTools(tools: Json | undefined, options: MockChatProviderOptions): void {
  if (tools === undefined) return
  refuseIf(options.hasNoTools === true, 'registry.example/model does not support tools')
  for (const [index, tool] of listOf(tools, 'tools').entries()) {
    refuseIf(tool['type'] !== 'function', `tools.${index}.type: must be 'function'`)
    const described = tool['function'] as Fields
    checkToolName(described['name'], `tools.${index}`)
    checkParameters(described['parameters'], `Invalid schema for function '${textOf(described['name'])}'`)
  }
}

/** After a system message: user, then assistant, in turn; calls and their results lie between. */
function checkTemplate(turns: readonly Fields[]): void {
  const told = turns.filter(({ role }) => role !== 'system' && role !== 'tool')
  const spoken = told.filter((turn) => turn['role'] !== 'assistant' || turn['tool_calls'] === undefined)
  for (const [index, { role }] of spoken.entries()) {
    const isRight = role === (index % 2 === 0 ? 'user' : 'assistant')
    if (!isRight)
      throw new Refusal('Conversation roles must alternate user/assistant/user/assistant/...', 500)
  }
}

function checkReasoning(turns: readonly Fields[]): void {
  const last = turns.findLastIndex(({ role }) => role === 'user')
  for (const turn of turns.slice(last + 1)) {
    refuseIf(
      turn['role'] === 'assistant' && turn['tool_calls'] !== undefined && !turn['reasoning_content'],
      'thinking is enabled but reasoning_content is missing in assistant tool call message',
    )
  }
}

function checkWindow(body: Json, windowTokens: number): void {
  const tokens = Math.ceil(JSON.stringify(body).length / 4)
  const message = `the request exceeds the available context size: ${tokens} tokens of ${windowTokens}, try increasing it`
  refuseIf(tokens > windowTokens, message)
}

function stream(
  { reasoning, text, calls = [] }: MockProviderResponse,
  { input, output, cacheRead, cacheWrite }: MockProviderUsage,
  newId: () => string,
): readonly string[] {
  const chunk = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })
  }
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  }
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
    ...(text === undefined ? [] : [chunk({ content: text })]),
    ...calls.map(({ id = newId(), name, args }, index) => {
      return chunk({
        tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      })
    }),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    event({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage }),
    'data: [DONE]\n\n',
  ]
}
