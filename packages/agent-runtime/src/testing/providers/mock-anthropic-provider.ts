import type { Json } from '@homeward/contract/agent-platform'
import {
  checkAnswerSchema,
  checkBase64,
  checkParameters,
  checkToolName,
  type Fields,
  isFields,
  listOf,
  pictureTypes,
  refuseIf,
  textOf,
} from './checks.ts'
import {
  checkSearches,
  isPaused,
  offersSearch,
  searchBlocks,
  toCitations,
  type FoundPages,
} from './anthropic-searches.ts'
import {
  createStandIn,
  event,
  type MockProvider,
  type MockProviderResponse,
  defaultUsage,
  type MockProviderOptions,
  type MockProviderUsage,
} from './mock-provider.ts'

/**
 * Creates a mock of Anthropic's Messages API.
 *
 * It rejects blank text, calls without results and results without calls, invalid ids and names, unsigned thinking,
 * an answer as the last message, more than four cache marks, and schemas that are not JSON Schema 2020-12. It
 * searches the web if a request offers `web_search`, and rejects searches that are sent back changed or incomplete.
 *
 * @example
 * const anthropic = createMockAnthropicProvider()
 * const model = createAnthropic({ apiKey: 'k', fetch: anthropic.fetch })('claude-sonnet-5')
 */
export function createMockAnthropicProvider(options: MockProviderOptions = {}): MockProvider {
  let made = 0
  const found: FoundPages = new Map()
  const { usage = defaultUsage } = options
  return createStandIn(
    {
      check: (body) => check(body, found),
      error: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
      stream: (answer, body) =>
        stream(answer, usage(body), offersSearch(body) ? found : undefined, () => (made += 1)),
    },
    options,
  )
}

function check(body: Json, found: FoundPages): void {
  const { messages, tools, max_tokens } = body as Fields
  refuseIf(typeof max_tokens !== 'number', 'max_tokens: Field required')
  checkAnswer(body as Fields)
  const turns = listOf(messages, 'messages')
  refuseIf(turns.length === 0, 'messages: at least one message is required')
  refuseIf(turns[0]?.['role'] !== 'user', 'messages: first message must use the "user" role')
  const isOpen = turns.at(-1)?.['role'] !== 'user'
  refuseIf(isOpen && !isPaused(turns.at(-1)), 'This model does not support assistant message prefill')
  checkSearches(turns, offersSearch(body), found)
  let asked: ReadonlySet<unknown> = new Set()
  const used = new Set<unknown>()
  for (const [index, turn] of turns.entries()) {
    const where = `messages.${index}.content`
    const blocks =
      typeof turn['content'] === 'string' ? [text(turn['content'])] : listOf(turn['content'], where)
    refuseIf(blocks.length === 0, `${where}: must not be empty`)
    for (const block of blocks) checkBlock(block, where)
    checkResults(blocks, asked, where)
    asked = takeCalls(blocks, used, where)
  }
  checkTools(tools, turns)
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1
  refuseIf(marks > 4, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`)
}

function checkAnswer({ output_config: config, tool_choice: choice, thinking }: Fields): void {
  const format = isFields(config) ? config['format'] : undefined
  if (isFields(format)) checkAnswerSchema(format['schema'], 'output_config.format.schema', false)
  const isForced = isFields(choice) && (choice['type'] === 'any' || choice['type'] === 'tool')
  const thinks = isFields(thinking) && thinking['type'] !== 'disabled'
  refuseIf(isForced && thinks, 'Thinking may not be enabled when tool_choice forces tool use.')
}

const text = (value: string): Fields => ({ type: 'text', text: value })

function checkBlock(block: Fields, where: string): void {
  if (block['type'] === 'text') {
    const isBlank = typeof block['text'] !== 'string' || block['text'].trim() === ''
    refuseIf(isBlank, `${where}: text content blocks must contain non-whitespace text`)
  }
  if (block['type'] === 'image' || block['type'] === 'document') checkSource(block, where)
  if (block['type'] === 'thinking') {
    refuseIf(
      typeof block['signature'] !== 'string' || !block['signature'],
      `${where}: thinking.signature: Field required`,
    )
  }
}

function checkSource({ type, source }: Fields, where: string): void {
  const { type: kind, media_type, data } = (source ?? {}) as Fields
  const types = type === 'image' ? pictureTypes : ['application/pdf', 'text/plain']
  refuseIf(
    !types.includes(textOf(media_type)),
    `${where}.source.media_type: Input should be ${types.join(', ')}`,
  )
  if (kind === 'base64') checkBase64(data, `${where}.source.base64`)
}

/** Results must answer the calls of the message before, all of them and no other. */
function checkResults(blocks: readonly Fields[], asked: ReadonlySet<unknown>, where: string): void {
  const results = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id }) => id)
  for (const id of results) {
    refuseIf(!asked.has(id), `${where}: unexpected tool_use_id ${textOf(id)} in tool_result blocks`)
  }
  refuseIf(new Set(results).size < results.length, `${where}: each tool_use must have a single result`)
  for (const id of asked) {
    refuseIf(
      !results.includes(id as Json),
      `${where}: tool_use ids were found without tool_result blocks: ${textOf(id)}`,
    )
  }
}

function takeCalls(blocks: readonly Fields[], used: Set<unknown>, where: string): ReadonlySet<unknown> {
  const calls = blocks.filter(({ type }) => type === 'tool_use')
  for (const { id, input, name } of calls) {
    refuseIf(
      !/^[a-zA-Z0-9_-]+$/.test(textOf(id)),
      `${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
    )
    refuseIf(used.has(id), 'messages: `tool_use` ids must be unique')
    refuseIf(
      typeof input !== 'object' || input === null,
      `${where}.tool_use.input: Input should be an object`,
    )
    checkToolName(name, where)
    used.add(id)
  }
  return new Set(calls.map(({ id }) => id))
}

function checkTools(tools: Json | undefined, turns: readonly Fields[]): void {
  const offered = tools === undefined ? [] : listOf(tools, 'tools')
  const hasToolBlocks = /"type":"tool_(?:use|result)"/.test(JSON.stringify(turns))
  refuseIf(hasToolBlocks && offered.length === 0, 'Requests which include tool blocks must define tools')
  for (const [index, tool] of offered.entries()) {
    if (tool['type'] !== undefined && tool['type'] !== 'custom') continue
    checkToolName(tool['name'], `tools.${index}.custom`)
    checkParameters(tool['input_schema'], `tools.${index}.custom.input_schema`)
  }
}

/** `input_tokens` counts what is neither read from the cache nor written to it. */
const toUsage = ({ input, cacheRead, cacheWrite }: MockProviderUsage) => ({
  input_tokens: input - cacheRead - cacheWrite,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
  output_tokens: 1,
})

function stream(
  { reasoning, searches = [], pauses = false, text: said, calls = [] }: MockProviderResponse,
  used: MockProviderUsage,
  found: FoundPages | undefined,
  next: () => number,
): readonly string[] {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
  }
  const events = [
    event({ type: 'message_start', message: { ...message, usage: toUsage(used) } }, 'message_start'),
  ]
  let index = 0
  const block = (start: object, ...deltas: readonly object[]) => {
    events.push(event({ type: 'content_block_start', index, content_block: start }, 'content_block_start'))
    for (const delta of deltas)
      events.push(event({ type: 'content_block_delta', index, delta }, 'content_block_delta'))
    events.push(event({ type: 'content_block_stop', index }, 'content_block_stop'))
    index += 1
  }
  if (reasoning !== undefined) {
    const signed = { type: 'signature_delta', signature: `signed:${reasoning.length}` }
    block(
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: reasoning },
      signed,
    )
  }
  for (const search of searches) {
    if (!found) break
    const blocks = searchBlocks(search, `srvtoolu_${next()}`, found)
    block(blocks.call, { type: 'input_json_delta', partial_json: JSON.stringify({ query: search.query }) })
    block(blocks.result)
  }
  if (said !== undefined) {
    const cited = found ? toCitations(searches) : []
    block({ type: 'text', text: '' }, { type: 'text_delta', text: said }, ...cited)
  }
  for (const { id = `toolu_${next()}`, name, args } of calls) {
    block(
      { type: 'tool_use', id, name, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(args) },
    )
  }
  const stop = pauses ? 'pause_turn' : calls.length > 0 ? 'tool_use' : 'end_turn'
  const usage = { output_tokens: used.output }
  events.push(
    event(
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
      'message_delta',
    ),
  )
  events.push(event({ type: 'message_stop' }, 'message_stop'))
  return events
}
