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
import { reasoningEvents, searchEvents, textEvents, toAnnotations, toSearchItem } from './responses-events.ts'
import {
  createStandIn,
  event,
  type MockProvider,
  type MockProviderResponse,
  defaultUsage,
  type MockProviderOptions,
  type MockProviderUsage,
} from './mock-provider.ts'

/** What the stand-in remembers of the reasoning that it wrote. */
interface Written {
  /** Encrypted content by the id of a reasoning item. */
  readonly reasoning: Map<unknown, string>
  /** The reasoning item that a call needs before it, by the id of the call. */
  readonly neededBy: Map<unknown, string>
  /** What was searched for, as JSON, by the id of the search. */
  readonly searches: Map<unknown, string>
}

/**
 * Creates a mock of OpenAI's Responses API for clients that store nothing there.
 *
 * It rejects `store: true`, references to stored items, reasoning that is not its own or that nothing follows, a call
 * without its reasoning, calls without results and the reverse, and tool schemas that OpenAI rejects. It searches the
 * web if a request offers `web_search`, and rejects searches that are sent back changed or without their reasoning.
 *
 * @example
 * const openai = createMockResponsesProvider()
 * const model = createOpenAI({ apiKey: 'k', fetch: openai.fetch })('gpt-6-sol')
 */
export function createMockResponsesProvider(options: MockProviderOptions = {}): MockProvider {
  const written: Written = { reasoning: new Map(), neededBy: new Map(), searches: new Map() }
  let made = 0
  const { usage = defaultUsage } = options
  return createStandIn(
    {
      check: (body, path) => check(body, path, written),
      error: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
      stream: (answer, body) =>
        stream(
          offersSearch(body) ? answer : { ...answer, searches: [] },
          usage(body),
          written,
          () => (made += 1),
        ),
    },
    options,
  )
}

function check(body: Json, path: string, written: Written): void {
  refuseIf(!path.endsWith('/responses'), `Unknown request URL: POST ${path}`)
  const { input, store, include, tools, text } = body as Fields
  refuseIf(store !== false, 'store: this organization stores nothing')
  const format = isFields(text) ? text['format'] : undefined
  if (isFields(format) && format['type'] === 'json_schema') {
    refuseIf(typeof format['name'] !== 'string', "Missing required parameter: 'text.format.name'.")
    checkAnswerSchema(format['schema'], `Invalid schema for response_format`, format['strict'] === true)
  }
  const items = listOf(input, 'input')
  refuseIf(items.length === 0, 'input: must not be empty')
  const calls = new Map<unknown, boolean>()
  for (const [index, item] of items.entries()) {
    const where = `input[${index}]`
    refuseIf(item['type'] === 'item_reference', `Item with id '${textOf(item['id'])}' not found`)
    if (item['type'] === 'reasoning') checkReasoning(item, items[index + 1], written)
    else if (item['type'] === 'web_search_call') checkSearch(item, items.slice(0, index), written)
    else if (item['type'] === 'function_call') takeCall(item, items, index, written, calls)
    else if (item['type'] === 'function_call_output') {
      refuseIf(
        !calls.has(item['call_id']),
        `No tool call found for function call output with call_id ${textOf(item['call_id'])}`,
      )
      calls.set(item['call_id'], true)
    } else checkMessage(item, where)
  }
  for (const [id, isAnswered] of calls)
    refuseIf(!isAnswered, `No tool output found for function call ${textOf(id)}`)
  const asksForReasoning = Array.isArray(include) && include.includes('reasoning.encrypted_content')
  refuseIf(
    written.reasoning.size > 0 && !asksForReasoning,
    'include: reasoning.encrypted_content is required without storage',
  )
  for (const tool of tools === undefined ? [] : listOf(tools, 'tools')) {
    if (tool['type'] !== 'function') continue
    checkToolName(tool['name'], 'tools')
    checkParameters(tool['parameters'], `Invalid schema for function '${textOf(tool['name'])}'`)
  }
}

function checkReasoning(
  item: Fields,
  next: Fields | undefined,
  { reasoning, searches, neededBy }: Written,
): void {
  const { id, encrypted_content: content } = item
  refuseIf(
    reasoning.get(id) !== content,
    `The encrypted content for item ${textOf(id)} could not be verified`,
  )
  const isFollowed =
    next !== undefined &&
    (next['role'] === 'assistant' || next['type'] !== undefined) &&
    next['type'] !== 'function_call_output'
  const led = [...searches.keys()].some((search) => neededBy.get(search) === id)
  refuseIf(
    !isFollowed || (led && next['type'] !== 'web_search_call'),
    `Item '${textOf(id)}' of type 'reasoning' was provided without its required following item.`,
  )
}

const offersSearch = (body: Json) => {
  const { tools } = body as Fields
  return tools !== undefined && listOf(tools, 'tools').some(({ type }) => type === 'web_search')
}

function checkSearch(
  { id, action }: Fields,
  before: readonly Fields[],
  { searches, neededBy }: Written,
): void {
  refuseIf(
    searches.get(id) !== JSON.stringify(action),
    `Item '${textOf(id)}' of type 'web_search_call' is unknown`,
  )
  checkNeeded('web_search_call', neededBy.get(id), before)
}

function checkNeeded(type: string, needed: string | undefined, before: readonly Fields[]): void {
  const isThere = before.some((other) => other['type'] === 'reasoning' && other['id'] === needed)
  refuseIf(
    needed !== undefined && !isThere,
    `Item of type '${type}' was provided without its required 'reasoning' item: '${needed}'.`,
  )
}

function takeCall(
  item: Fields,
  items: readonly Fields[],
  index: number,
  { neededBy }: Written,
  calls: Map<unknown, boolean>,
): void {
  const { call_id: id, name } = item
  refuseIf(typeof id !== 'string' || !id || id.length > 64, 'call_id: string too long (at most 64)')
  refuseIf(calls.has(id), `Duplicate item found with call_id ${textOf(id)}`)
  checkToolName(name, 'input')
  calls.set(id, false)
  checkNeeded('function_call', neededBy.get(id), items.slice(0, index))
}

function checkMessage({ role, content }: Fields, where: string): void {
  refuseIf(!['user', 'assistant', 'system', 'developer'].includes(textOf(role)), `${where}.role: is unknown`)
  const isEmpty = content === undefined || content === '' || (Array.isArray(content) && content.length === 0)
  refuseIf(isEmpty, `${where}.content: must not be empty`)
}

function stream(
  { reasoning, searches = [], text, calls = [] }: MockProviderResponse,
  used: MockProviderUsage,
  written: Written,
  next: () => number,
): readonly string[] {
  const number = next()
  const response = {
    id: `resp_${number}`,
    object: 'response',
    created_at: 1,
    model: 'm',
    output: [],
    status: 'in_progress',
  }
  const events: object[] = [{ type: 'response.created', response }]
  let index = 0
  const reasoningId = reasoning === undefined ? undefined : `rs_${number}`
  if (reasoningId !== undefined) {
    const item = { type: 'reasoning', id: reasoningId, summary: [], encrypted_content: `encrypted:${number}` }
    written.reasoning.set(reasoningId, item.encrypted_content)
    events.push(...reasoningEvents(item, index, reasoning ?? ''))
    index += 1
  }
  for (const [place, search] of searches.entries()) {
    const item = toSearchItem(search, `ws_${number}_${place}`)
    written.searches.set(item.id, JSON.stringify(item.action))
    if (reasoningId !== undefined) written.neededBy.set(item.id, reasoningId)
    events.push(...searchEvents(item, index))
    index += 1
  }
  if (text !== undefined) {
    const item = { type: 'message', id: `msg_${number}`, status: 'completed', role: 'assistant', content: [] }
    events.push(...textEvents(item, index, text, toAnnotations(searches, text)))
    index += 1
  }
  for (const [place, { id = `call_${number}_${place}`, name, args }] of calls.entries()) {
    if (reasoningId !== undefined) written.neededBy.set(id, reasoningId)
    const item = {
      type: 'function_call',
      id: `fc_${number}_${place}`,
      call_id: id,
      name,
      arguments: '',
      status: 'in_progress',
    }
    const whole = JSON.stringify(args)
    events.push(
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.function_call_arguments.delta', item_id: item.id, output_index: index, delta: whole },
      {
        type: 'response.function_call_arguments.done',
        item_id: item.id,
        output_index: index,
        arguments: whole,
      },
      {
        type: 'response.output_item.done',
        output_index: index,
        item: { ...item, arguments: whole, status: 'completed' },
      },
    )
    index += 1
  }
  const usage = {
    input_tokens: used.input,
    output_tokens: used.output,
    input_tokens_details: { cached_tokens: used.cacheRead },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  events.push({ type: 'response.completed', response: { ...response, status: 'completed', usage } })
  return events.map((each) => event(each))
}
