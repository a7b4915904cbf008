import {
  JsonObject,
  RunRequest,
  type ChatCompletionRequest,
  type ClientTool,
  type ModelSettings,
  type OpenAiFormat,
  type ResponseRequest,
} from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import type { RunStartOptions } from '../../runs/runs.ts'
import { readTools, toolForms, waitNumberOf } from './caller-tools.ts'
import { invalidField } from './openai-errors.ts'
import { readContent } from './read-content.ts'
import { toPlainHistory, type RequestItem, type Said } from './request-items.ts'
import type { PreviousResponse } from './stored-responses.ts'

/** What a request below `/v1` asks an agent to do. */
export interface AgentTask {
  readonly request: RunRequest
  /** Added to the agent's own instructions. */
  readonly instructions: string | undefined
  /** Whether the first model call has to call a tool. */
  readonly toolChoice?: RunStartOptions['toolChoice']
  /** The run that it continues. */
  readonly previous?: RunStartOptions['previous']
}

type Fields = Pick<
  ChatCompletionRequest,
  'model' | 'user' | 'tools' | 'tool_choice' | 'temperature' | 'top_p'
>

/** @throws {HttpError} 400 for what a chat completion cannot ask of an agent. */
export function fromChatCompletion(
  body: ChatCompletionRequest,
  items: readonly RequestItem[],
  request: RequestView,
): AgentTask {
  const { n, functions, max_tokens, max_completion_tokens = max_tokens } = body
  if (n !== undefined && n !== 1) throw invalidField('n', 'only 1 choice is supported. Leave the field out.')
  if (functions && functions.length > 0)
    throw invalidField('functions', 'is not supported. Use "tools" instead.')
  const { stop, seed, reasoning_effort: reasoning } = body
  return toTask(body, request, {
    said: toPlainHistory(items),
    place: 'messages',
    maxTokens: max_completion_tokens,
    schema: schemaOfChat(body),
    settings: { stop: typeof stop === 'string' ? [stop] : stop, seed, reasoning },
    before: [],
    form: 'chat',
  })
}

/** JSON Schema of the answer, as a request asks for it. @throws {HttpError} 400 */
export const schemaOfChat = ({ response_format: format }: ChatCompletionRequest) =>
  format && toSchema(format, 'response_format')

/** JSON Schema of the answer, as a request asks for it. @throws {HttpError} 400 */
export const schemaOfResponse = ({ text }: ResponseRequest) =>
  text?.format && toSchema(text.format, 'text.format')

/** @throws {HttpError} 400 for what a response cannot ask of an agent. */
export function fromResponse(
  body: ResponseRequest,
  items: readonly RequestItem[],
  request: RequestView,
  previous: PreviousResponse | undefined,
): AgentTask {
  const { instructions, max_output_tokens, conversation, background } = body
  const nameIt = 'send the id of a conversation in the header X-Homeward-Conversation.'
  if (conversation !== undefined) throw invalidField('conversation', `is not supported: ${nameIt}`)
  if (previous && request.header('x-homeward-conversation') !== undefined)
    throw invalidField(
      'previous_response_id',
      'cannot be used with X-Homeward-Conversation. Leave one of them out.',
    )
  if (background === true) {
    throw invalidField('background', 'is not supported. Use POST /api/tasks for work in the background.')
  }
  const task = toTask(body, request, {
    said: toPlainHistory(items),
    place: 'input',
    maxTokens: max_output_tokens,
    schema: schemaOfResponse(body),
    settings: { reasoning: body.reasoning?.effort },
    before: [...(instructions === undefined ? [] : [instructions]), ...(previous?.system ?? [])],
    form: 'response',
  })
  if (!previous) return task
  const { runId, text, callIds } = previous
  const [firstCall] = callIds
  const firstWait = firstCall === undefined ? undefined : waitNumberOf(firstCall)
  return { ...task, previous: { runId, output: text, ...(firstWait !== undefined && { firstWait }) } }
}

/** The system messages among the items of a request. */
export const systemOf = (items: readonly RequestItem[]): string[] =>
  items.flatMap((item) =>
    item.kind === 'said' && isSystem(item.role) ? [readContent(item.content, item.place).text] : [],
  )

const isSystem = (role: string) => role === 'system' || role === 'developer'

interface Given {
  readonly said: readonly Said[]
  /** Field that holds the messages. */
  readonly place: string
  readonly maxTokens: number | undefined
  /** JSON Schema of the answer. */
  readonly schema: JsonObject | undefined
  /** How the model is called, besides the settings that both kinds of requests have. */
  readonly settings: ModelSettings
  /** Instructions that precede those of the messages. */
  readonly before: readonly string[]
  readonly form: keyof typeof toolForms
}

function toTask(fields: Fields, request: RequestView, given: Given): AgentTask {
  const { said, place, maxTokens, schema } = given
  const conversationId = request.header('x-homeward-conversation')
  const { temperature, top_p } = fields
  const settings: ModelSettings = { ...given.settings, temperature, top_p }
  const instructions = [...given.before]
  const { tools, choice } = readTools(fields, toolForms[given.form])
  const clientTools: ClientTool[] = [...tools]
  const messages: NonNullable<RunRequest['messages']> = []
  for (const { role, content, place: at } of said) {
    const { text, files } = readContent(content, at)
    if (role !== 'user' && files.length > 0)
      throw invalidField(at, 'only messages of the user may have files')
    if (isSystem(role)) instructions.push(text)
    else if (role === 'assistant') messages.push({ role, content: text })
    else if (role === 'user')
      messages.push({ role, content: text, ...(files.length > 0 && { files: [...files] }) })
    else throw invalidField(`${at}.role`, roleFault(role))
  }
  const last = said.at(-1)
  if (last?.role !== 'user') throw invalidField(place, 'the last message must have the role "user"')
  const { content = '', files } = messages.pop() ?? {}
  // a person may send a picture without a word
  const task = content.trim() === '' ? (files?.map(({ name }) => name ?? 'file').join(', ') ?? '') : content
  if (task === '') throw invalidField(last.place, 'the last message has no text')
  return {
    instructions: instructions.length > 0 ? instructions.join('\n\n') : undefined,
    ...(choice && { toolChoice: choice }),
    request: checked(place, {
      agent_id: fields.model,
      task,
      ...(files && { files }),
      user_id: fields.user,
      ...(schema && { output_schema: schema }),
      ...(Object.values(settings).some((value) => value !== undefined) && { model_settings: settings }),
      ...(clientTools.length > 0 && { client_tools: clientTools }),
      ...(maxTokens !== undefined && { limits: { max_tokens: maxTokens } }),
      ...(conversationId === undefined ? { store: false, messages } : { conversation_id: conversationId }),
    }),
  }
}

/** Chat completions hold the schema in an object of its own, responses in the format itself. */
function toSchema(format: OpenAiFormat, place: string): JsonObject | undefined {
  if (format.type === 'text') return undefined
  if (format.type === 'json_object') return { type: 'object' }
  if (format.type !== 'json_schema') {
    throw invalidField(`${place}.type`, 'is not supported. Use text, json_object or json_schema.')
  }
  const holder = format['json_schema'] ?? format
  const parsed = JsonObject.safeParse(Reflect.get(Object(holder), 'schema'))
  if (parsed.success) return parsed.data
  throw invalidField(place, 'needs a JSON Schema in "schema"')
}

function roleFault(role: string): string {
  return `"${role.slice(0, 50)}" is not a role. Use system, developer, user or assistant.`
}

/** Where fields of a run come from, in the words of the caller. */
const places: Readonly<Record<string, string>> = {
  agent_id: 'model',
  user_id: 'user',
  client_tools: 'tools',
  conversation_id: 'X-Homeward-Conversation',
  temperature: 'temperature',
  top_p: 'top_p',
  stop: 'stop',
  seed: 'seed',
}

/** The limits of a run's request hold here too. */
function checked(place: string, request: RunRequest): RunRequest {
  const parsed = RunRequest.safeParse(request)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = issue?.path ?? []
  const field = String(path[0] === 'model_settings' ? path[1] : path[0])
  const schemaPlace = place === 'input' ? 'text.format' : 'response_format'
  throw invalidField(
    field === 'output_schema' ? schemaPlace : (places[field] ?? place),
    issue?.message ?? 'is invalid',
  )
}
