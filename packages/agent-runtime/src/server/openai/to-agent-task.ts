import {
  JsonObject,
  RunRequest,
  type ChatCompletionRequest,
  type ClientTool,
  type ModelSettings,
  type OpenAiContent,
  type OpenAiFormat,
  type ResponseRequest,
} from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import type { RunStartOptions } from '../../runs/runs.ts'
import { readTools } from './caller-tools.ts'
import { invalidField } from './openai-errors.ts'
import { readContent } from './read-content.ts'

/** What a request below `/v1` asks an agent to do. */
export interface AgentTask {
  readonly request: RunRequest
  /** Added to the agent's own instructions. */
  readonly instructions: string | undefined
  /** Whether the first model call has to call a tool. */
  readonly toolChoice?: RunStartOptions['toolChoice']
}

interface Said {
  readonly role: string
  readonly content: OpenAiContent | undefined
  /** Where it stands in the request. */
  readonly place: string
}

type Fields = Pick<ChatCompletionRequest, 'model' | 'user' | 'tools' | 'temperature' | 'top_p'>

const ownToolsOnly =
  'tools of the caller are not supported, because an agent has its own tools. Leave the field out.'

/** @throws {HttpError} 400 for what a chat completion cannot ask of an agent. */
export function fromChatCompletion(body: ChatCompletionRequest, request: RequestView): AgentTask {
  const { n, functions, max_tokens, max_completion_tokens = max_tokens } = body
  if (n !== undefined && n !== 1) throw invalidField('n', 'only 1 choice is supported. Leave the field out.')
  if (functions && functions.length > 0) throw invalidField('functions', ownToolsOnly)
  const said = body.messages.map(({ role, content, tool_calls: calls = [] }, index): Said => {
    const place = `messages[${index}]`
    // calls that this server did not make are plain history
    if (role === 'tool')
      return { role: 'user', content: `Result of a call:\n${readContent(content, place).text}`, place }
    if (calls.length === 0) return { role, content, place }
    const text = [readContent(content, place).text, ...calls.map((call) => `Call: ${JSON.stringify(call)}`)]
    return { role, content: text.join('\n').trim(), place }
  })
  const { tools, choice } = readTools(body)
  const { stop, seed, reasoning_effort: reasoning } = body
  const task = toTask({ ...body, tools: undefined }, request, {
    said,
    place: 'messages',
    maxTokens: max_completion_tokens,
    schema: body.response_format && toSchema(body.response_format, 'response_format'),
    settings: { stop: typeof stop === 'string' ? [stop] : stop, seed, reasoning },
    before: undefined,
    clientTools: tools,
  })
  return { ...task, ...(choice && { toolChoice: choice }) }
}

/** @throws {HttpError} 400 for what a response cannot ask of an agent. */
export function fromResponse(body: ResponseRequest, request: RequestView): AgentTask {
  const {
    input,
    instructions,
    max_output_tokens,
    previous_response_id: previous,
    conversation,
    background,
  } = body
  const nameIt =
    'responses are not stored. Send the id of a conversation in the header X-Homeward-Conversation.'
  if (previous !== undefined) throw invalidField('previous_response_id', nameIt)
  if (conversation !== undefined) throw invalidField('conversation', nameIt)
  if (background === true) {
    throw invalidField('background', 'is not supported. Use POST /api/tasks for work in the background.')
  }
  const said =
    typeof input === 'string' ? [{ role: 'user', content: input, place: 'input' }] : fromItems(input)
  return toTask(body, request, {
    said,
    place: 'input',
    maxTokens: max_output_tokens,
    schema: body.text?.format && toSchema(body.text.format, 'text.format'),
    settings: { reasoning: body.reasoning?.effort },
    before: instructions,
  })
}

function fromItems(items: Exclude<ResponseRequest['input'], string>): Said[] {
  return items.flatMap(({ type = 'message', role = '', content }, index): Said[] => {
    const place = `input[${index}]`
    // clients send back what they got; the reasoning of an agent is never in it
    if (type === 'reasoning') return []
    if (type === 'message') return [{ role, content, place }]
    throw invalidField(place, `items of type "${type.slice(0, 50)}" are not supported. Send messages only.`)
  })
}

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
  readonly before: string | undefined
  readonly clientTools?: readonly ClientTool[]
}

function toTask(fields: Fields, request: RequestView, given: Given): AgentTask {
  if (fields.tools && fields.tools.length > 0) throw invalidField('tools', ownToolsOnly)
  const { said, place, maxTokens, schema } = given
  const conversationId = request.header('x-homeward-conversation')
  const { temperature, top_p } = fields
  const settings: ModelSettings = { ...given.settings, temperature, top_p }
  const instructions = given.before === undefined ? [] : [given.before]
  const messages: NonNullable<RunRequest['messages']> = []
  for (const { role, content, place: at } of said) {
    const { text, files } = readContent(content, at)
    if (role !== 'user' && files.length > 0)
      throw invalidField(at, 'only messages of the user may have files')
    if (role === 'system' || role === 'developer') instructions.push(text)
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
    request: checked(place, {
      agent_id: fields.model,
      task,
      ...(files && { files }),
      user_id: fields.user,
      ...(schema && { output_schema: schema }),
      ...(Object.values(settings).some((value) => value !== undefined) && { model_settings: settings }),
      ...(given.clientTools && given.clientTools.length > 0 && { client_tools: [...given.clientTools] }),
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
  if (role === 'tool' || role === 'function') return ownToolsOnly
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
