/** How a hosted provider speaks: what a model's answers look like on its wire. */
export interface ProviderWire {
  readonly model: string
  readonly keyVariable: string
  readonly baseUrlVariable: string
  readonly baseUrl: string
  readonly generatePath: string
  readonly streamPath: string
  /** Header in which the key travels, and what stands there. */
  readonly keyHeader: readonly [name: string, toValue: (key: string) => string]
  /** The same answer whole and streamed: the text "Hello world", 12 tokens in and 3 out. */
  readonly text: unknown
  readonly textEvents: readonly string[]
  /** A call of `add` with `{"a":1,"b":2}`, streamed in pieces. */
  readonly call: unknown
  readonly callEvents: readonly string[]
  /** What a server behind another base URL is asked, and the same text as it answers; as here when absent. */
  readonly elsewhere?: { readonly path: string; readonly text: unknown }
  /** Body of an error. */
  readonly error: (message: string) => unknown
}

const sse = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string }) => `event: ${value.type}\n${sse(value)}`

const chatUsage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
const chatChunk = (delta: unknown, finish: string | null = null) =>
  sse({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
const chatEnd = (finish: string) => [
  chatChunk({}, finish),
  sse({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: chatUsage }),
  'data: [DONE]\n\n',
]
const chatAnswer = (message: unknown, finish: string) => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  usage: chatUsage,
  choices: [{ index: 0, message, finish_reason: finish }],
})
const chatCall = (piece: string, head = {}) => ({
  tool_calls: [{ index: 0, ...head, function: { arguments: piece } }],
})

/** Chat Completions: OpenAI's older API, and OpenRouter over it. */
const chat = {
  generatePath: '/chat/completions',
  streamPath: '/chat/completions',
  keyHeader: ['authorization', (key: string) => `Bearer ${key}`],
  text: chatAnswer({ role: 'assistant', content: 'Hello world' }, 'stop'),
  textEvents: [
    chatChunk({ role: 'assistant', content: '' }),
    chatChunk({ content: 'Hello ' }),
    chatChunk({ content: 'world' }),
    ...chatEnd('stop'),
  ],
  call: chatAnswer(
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } }],
    },
    'tool_calls',
  ),
  callEvents: [
    sse({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { index: 0, id: 'call_1', type: 'function', function: { name: 'add', arguments: '' } },
            ],
          },
          finish_reason: null,
        },
      ],
    }),
    chatChunk(chatCall('{"a":1')),
    chatChunk(chatCall(',"b":2}')),
    ...chatEnd('tool_calls'),
  ],
  error: (message: string) => ({ error: { message, type: 'some_error', param: null, code: null } }),
} as const

const response = (output: unknown, status = 'completed') => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
  usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
})
const responseMessage = (content: unknown) => {
  return { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content }
}
const responseCall = (args: string) => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', status: 'completed' }
  return { ...call, arguments: args }
}
const outputText = (text: string) => ({ type: 'output_text', text, annotations: [] })
const textDelta = (delta: string) => {
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  return sse({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })
}
const responseStart = sse({ type: 'response.created', response: response([], 'in_progress') })
const responseEnd = sse({ type: 'response.completed', response: response([]) })
const responseItem = (happened: 'added' | 'done', item: object) =>
  sse({ type: `response.output_item.${happened}`, output_index: 0, item })
const argumentsDelta = (delta: string) =>
  sse({ type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 0, delta })

/** The Responses API of OpenAI. */
const responses = {
  generatePath: '/responses',
  streamPath: '/responses',
  keyHeader: ['authorization', (key: string) => `Bearer ${key}`],
  text: response([responseMessage([outputText('Hello world')])]),
  textEvents: [
    responseStart,
    responseItem('added', responseMessage([])),
    textDelta('Hello '),
    textDelta('world'),
    responseItem('done', responseMessage([outputText('Hello world')])),
    responseEnd,
  ],
  call: response([responseCall('{"a":1,"b":2}')]),
  callEvents: [
    responseStart,
    responseItem('added', responseCall('')),
    argumentsDelta('{"a":1'),
    argumentsDelta(',"b":2}'),
    responseItem('done', responseCall('{"a":1,"b":2}')),
    responseEnd,
  ],
  error: (message: string) => ({ error: { message, type: 'some_error', param: null, code: null } }),
} as const

const claudeUsage = { input_tokens: 12, output_tokens: 3 }
const claudeMessage = (content: unknown, stop: string | null) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: claudeUsage,
})
const claudeStart = named({ type: 'message_start', message: claudeMessage([], null) } as { type: string })
const claudeEnd = (stop: string) => [
  named({ type: 'content_block_stop', index: 0 } as { type: string }),
  named({
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: 3 },
  } as { type: string }),
  named({ type: 'message_stop' }),
]
const claudeBlock = (block: unknown) =>
  named({ type: 'content_block_start', index: 0, content_block: block } as { type: string })
const claudeDelta = (delta: unknown) =>
  named({ type: 'content_block_delta', index: 0, delta } as { type: string })

const gemini = (parts: unknown, finish?: string) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finish && { finishReason: finish }) }],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 },
})
const geminiCall = [{ functionCall: { name: 'add', args: { a: 1, b: 2 } } }]

export const providerWires: Readonly<Record<string, ProviderWire>> = {
  openai: {
    ...responses,
    model: 'openai/gpt-5',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    // any other server is spoken to by Chat Completions
    elsewhere: { path: chat.generatePath, text: chat.text },
  },
  'openai-chat': {
    ...chat,
    model: 'openai-chat/gpt-5',
    keyVariable: 'OPENAI_API_KEY',
    baseUrlVariable: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
  },
  openrouter: {
    ...chat,
    model: 'openrouter/meta/llama-4',
    keyVariable: 'OPENROUTER_API_KEY',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  anthropic: {
    model: 'anthropic/claude-sonnet-4-5',
    keyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com/v1',
    generatePath: '/messages',
    streamPath: '/messages',
    keyHeader: ['x-api-key', (key) => key],
    text: claudeMessage([{ type: 'text', text: 'Hello world' }], 'end_turn'),
    textEvents: [
      claudeStart,
      claudeBlock({ type: 'text', text: '' }),
      named({ type: 'ping' }),
      claudeDelta({ type: 'text_delta', text: 'Hello ' }),
      claudeDelta({ type: 'text_delta', text: 'world' }),
      ...claudeEnd('end_turn'),
    ],
    call: claudeMessage([{ type: 'tool_use', id: 'call_1', name: 'add', input: { a: 1, b: 2 } }], 'tool_use'),
    callEvents: [
      claudeStart,
      claudeBlock({ type: 'tool_use', id: 'call_1', name: 'add', input: {} }),
      claudeDelta({ type: 'input_json_delta', partial_json: '{"a":1' }),
      claudeDelta({ type: 'input_json_delta', partial_json: ',"b":2}' }),
      ...claudeEnd('tool_use'),
    ],
    error: (message) => ({ type: 'error', error: { type: 'some_error', message } }),
  },
  google: {
    model: 'google/gemini-3-pro',
    keyVariable: 'GOOGLE_API_KEY',
    baseUrlVariable: 'GOOGLE_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    generatePath: '/models/gemini-3-pro:generateContent',
    streamPath: '/models/gemini-3-pro:streamGenerateContent',
    keyHeader: ['x-goog-api-key', (key) => key],
    text: gemini([{ text: 'Hello world' }], 'STOP'),
    textEvents: [sse(gemini([{ text: 'Hello ' }])), sse(gemini([{ text: 'world' }], 'STOP'))],
    call: gemini(geminiCall, 'STOP'),
    callEvents: [sse(gemini(geminiCall, 'STOP'))],
    error: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
}
