import type { Json } from '@homeward/contract/agent-platform'
import {
  checkBase64,
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
  type MockProvider,
  type MockProviderResponse,
  type MockProviderOptions,
  type MockProviderSearch,
} from './mock-provider.ts'

/**
 * Creates a mock of Gemini's `generateContent` API.
 *
 * It rejects turns without parts, calls that do not follow a question or a result, results that do not match the
 * calls before them one by one, calls of a Gemini 3 model without their signature, and schemas with required
 * properties that do not exist. It searches the web if a request offers `googleSearch`, which only Gemini 3 supports
 * together with functions, and rejects incomplete searches.
 *
 * @example
 * const google = createMockGoogleProvider()
 * const model = createGoogle({ apiKey: 'k', fetch: google.fetch })('gemini-3-pro')
 */
export function createMockGoogleProvider(options: MockProviderOptions = {}): MockProvider {
  return createStandIn(
    {
      check,
      error: (message, status) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
      stream,
    },
    options,
  )
}

function check(body: Json, path: string): void {
  const { contents, tools } = body as Fields
  const turns = listOf(contents, 'contents')
  refuseIf(turns.length === 0, 'contents: at least one content is required')
  refuseIf(turns[0]?.['role'] !== 'user', 'Please ensure that the conversation starts with a user turn')
  let before: Fields | undefined
  for (const [index, turn] of turns.entries()) {
    const parts = listOf(turn['parts'], `contents.${index}.parts`)
    refuseIf(parts.length === 0, `contents.${index}.parts: must include at least one parts field`)
    for (const part of parts) checkPart(part, `contents.${index}.parts`)
    checkOrder(turn, before)
    before = turn
  }
  refuseIf(turns.at(-1)?.['role'] !== 'user', 'Please ensure that the conversation ends with a user turn')
  if (path.includes('gemini-3')) checkSignatures(turns)
  else refuseIf(isJsonWithTools(body as Fields), jsonWithTools)
  checkSearches(body, turns, path)
  for (const tool of tools === undefined ? [] : listOf(tools, 'tools')) {
    if (!('functionDeclarations' in tool)) continue
    for (const { name, parametersJsonSchema, parameters } of listOf(tool['functionDeclarations'], 'tools')) {
      checkToolName(name, 'tools.function_declarations')
      const schema = parametersJsonSchema ?? parameters
      if (schema !== undefined)
        checkParameters(schema, `tools.function_declarations[${textOf(name)}].parameters`)
    }
  }
}

const jsonWithTools = "Function calling with a response mime type: 'application/json' is unsupported"

const isJsonWithTools = ({ generationConfig: config, tools }: Fields) =>
  isFields(config) && config['responseMimeType'] === 'application/json' && tools !== undefined

function checkPart(part: Fields, where: string): void {
  const known = [
    'text',
    'functionCall',
    'functionResponse',
    'inlineData',
    'fileData',
    'toolCall',
    'toolResponse',
  ]
  refuseIf(
    !known.some((key) => key in part),
    `${where}: required oneof field 'data' must have one initialized field`,
  )
  if (isFields(part['inlineData'])) {
    const { mimeType, data } = part['inlineData']
    const isKnown = /^(?:image\/(?:png|jpeg|webp|hei[cf])|audio\/.+|video\/.+|text\/.+|application\/pdf)$/
    refuseIf(!isKnown.test(textOf(mimeType)), `Unsupported MIME type: ${textOf(mimeType)}`)
    checkBase64(data, `${where}.inline_data`)
  }
  const isBlank = part['text'] === '' && part['thoughtSignature'] === undefined
  refuseIf(isBlank, `${where}: text must not be empty`)
}

const offers = (body: Json, key: string): boolean => {
  const { tools } = body as Fields
  return tools !== undefined && listOf(tools, 'tools').some((tool) => key in tool)
}

function checkSearches(body: Json, turns: readonly Fields[], path: string): void {
  const isMixed = offers(body, 'googleSearch') && offers(body, 'functionDeclarations')
  const { toolConfig } = body as Fields
  const isTold = isFields(toolConfig) && toolConfig['includeServerSideToolInvocations'] === true
  refuseIf(isMixed && !path.includes('gemini-3'), 'Tool use with function calling is unsupported')
  refuseIf(isMixed && !isTold, 'Please enable tool_config.include_server_side_tool_invocations')
  for (const turn of turns) {
    const parts = listOf(turn['parts'], 'parts')
    const idsOf = (key: string) =>
      parts.flatMap(({ [key]: part }) => (isFields(part) ? [textOf(part['id'])] : []))
    const [calls, responses] = [idsOf('toolCall'), idsOf('toolResponse')]
    refuseIf(calls.join() !== responses.join(), 'Please ensure that each tool call has its tool response')
    refuseIf(
      calls.length > 0 && !isTold,
      'Tool call parts need tool_config.include_server_side_tool_invocations',
    )
  }
}

const count = (turn: Fields | undefined, key: string) =>
  turn === undefined ? 0 : listOf(turn['parts'], 'parts').filter((part) => key in part).length

function checkOrder(turn: Fields, before: Fields | undefined): void {
  const isTwice = before !== undefined && before['role'] === turn['role']
  refuseIf(isTwice && turn['role'] === 'model', 'Please ensure that model turns alternate with user turns')
  const responses = count(turn, 'functionResponse')
  const calls = before?.['role'] === 'model' ? count(before, 'functionCall') : 0
  refuseIf(
    responses !== calls,
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn',
  )
}

/** Gemini 3 wants the signature of the first call of each step since the last question. */
function checkSignatures(turns: readonly Fields[]): void {
  const asked = turns.findLastIndex(
    (turn) => turn['role'] === 'user' && count(turn, 'functionResponse') === 0,
  )
  for (const turn of turns.slice(asked + 1)) {
    const first = listOf(turn['parts'], 'parts').find((part) => isFields(part['functionCall']))
    refuseIf(
      first !== undefined && first['thoughtSignature'] === undefined,
      'Function call is missing a thought_signature in functionCall parts',
    )
  }
}

function stream(
  { reasoning, searches = [], text, calls = [] }: MockProviderResponse,
  body: Json,
): readonly string[] {
  const made = offers(body, 'googleSearch') ? searches : []
  const isTold = offers(body, 'functionDeclarations')
  const parts = [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(isTold ? made.flatMap(toSearchParts) : []),
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, args }, index) => {
      return { functionCall: { name, args }, ...(index === 0 && { thoughtSignature: `signed:${name}` }) }
    }),
  ]
  const usageMetadata = { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 15 }
  return [
    event({
      candidates: [
        { content: { parts, role: 'model' }, index: 0, finishReason: 'STOP', ...toGrounding(made) },
      ],
      usageMetadata,
    }),
  ]
}

/** A search as Gemini 3 tells of it next to functions. */
function toSearchParts({ query, results }: MockProviderSearch, index: number) {
  const toolType = 'GOOGLE_SEARCH_WEB'
  const id = `search-${index}`
  return [
    { toolCall: { toolType, args: { queries: [query] }, id }, thoughtSignature: `signed:${id}` },
    { toolResponse: { toolType, response: { search_suggestions: results.map(({ title }) => title) }, id } },
  ]
}

function toGrounding(searches: readonly MockProviderSearch[]) {
  if (searches.length === 0) return {}
  const groundingChunks = searches.flatMap(({ results }) =>
    results.map(({ url, title }) => ({ web: { uri: url, title } })),
  )
  return { groundingMetadata: { webSearchQueries: searches.map(({ query }) => query), groundingChunks } }
}
