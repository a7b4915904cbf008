import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider'
import { toFilePart, toToolContentParts } from '../../files/prompt-files.ts'
import { isJsonObject } from '../../json/json-object.ts'
import { callToolId } from '../../ports/built-in-tool-ids.ts'
import type { FileReference } from '../../ports/file.ts'
import type { Logger } from '../../ports/logger.ts'
import type {
  AssistantPart,
  ModelMessage,
  RefusedPart,
  SourcePart,
  ToolCallPart,
  ToolResult,
} from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import type { AgentToolset } from '../../tools/agent-tools.ts'
import { parseArguments } from './answer.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]

/** Gives the name that a model knows a tool by; the id itself for tools that are gone. */
type WireName = (toolId: string) => string

/**
 * Turns a stored message into what a model reads (D12). Half of a surrogate pair becomes U+FFFD: providers refuse it.
 *
 * @param isEarlier Whether the message is one of an earlier run. @default false
 */
export function toPromptMessage(
  message: ModelMessage,
  wireName: WireName,
  isEarlier = false,
): LanguageModelV4Message {
  if (message.role === 'user') return userMessage(message.text, message.files, isEarlier)
  if (message.role === 'tool') {
    return { role: 'tool', content: message.results.map((result) => toToolContent(result, wireName)) }
  }
  return {
    role: 'assistant',
    content: message.parts.flatMap((part) =>
      part.type === 'source' || part.type === 'refused' ? [] : toAssistantContent(part, wireName),
    ),
  }
}

/** A message of a person's, its files before the text. */
export const userMessage = (
  text: string,
  files: readonly FileReference[] = [],
  isEarlier = false,
): LanguageModelV4Message => ({
  role: 'user',
  content: [...files.map((file) => toFilePart(file, isEarlier)), { type: 'text', text: text.toWellFormed() }],
})

type PromptPart = Exclude<AssistantPart, SourcePart | RefusedPart>
type ToolResultOutput = Extract<ToolContent, { type: 'tool-result' }>['output']

function toAssistantContent(part: PromptPart, wireName: WireName): AssistantContent {
  const content = toPlainContent(part, wireName)
  if (!part.provider_data) return content
  return { ...content, providerOptions: { ...content.providerOptions, ...part.provider_data } }
}

function toPlainContent(part: PromptPart, wireName: WireName): AssistantContent {
  if (part.type === 'file') return toFilePart(part, true)
  if (part.type === 'hosted_result') {
    const output = { type: part.failed ? 'error-json' : 'json', value: part.result } as const
    return { type: 'tool-result', toolCallId: part.id, toolName: part.name, output }
  }
  if ('text' in part) return { type: part.type, text: part.text.toWellFormed() }
  // Some providers refuse a call whose arguments are no object, also one that they made themselves.
  const isObject = typeof part.args === 'object' && part.args !== null && !Array.isArray(part.args)
  const input = isObject ? part.args : { not_an_object: part.args }
  const call = { type: 'tool-call', toolCallId: part.id, input } as const
  if (part.type === 'hosted_call') return { ...call, toolName: part.name, providerExecuted: true }
  if (part.via) return { ...call, toolName: part.via, input: { tool: part.name, arguments: input } }
  return { ...call, toolName: wireName(part.name) }
}

function toToolContent(result: ToolResult, wireName: WireName): ToolContent {
  return {
    type: 'tool-result',
    toolCallId: result.id,
    toolName: result.via ?? wireName(result.name),
    output: toOutput(result),
  }
}

function toOutput({ error, result = null, files = [], edited_args: edited }: ToolResult): ToolResultOutput {
  const note = edited && `A person changed the arguments of this call to ${JSON.stringify(edited)}`
  if (error !== undefined)
    return { type: 'error-text', value: (note ? `${note}. ${error}` : error).toWellFormed() }
  const value = note ? { note, result } : result
  if (files.length > 0) return { type: 'content', value: toToolContentParts(value, files) }
  return typeof value === 'string' ? { type: 'text', value } : { type: 'json', value }
}

/** Tools of one run, as it and its model know them. */
export interface RunTools {
  readonly byId: ReadonlyMap<string, Tool>
  /** Those in the prompt, as the model gets them, under names that providers accept. */
  readonly offered: LanguageModelV4FunctionTool[]
  /** Name that the model knows a tool by. */
  readonly wireName: WireName
  /** Id of the tool that a model calls by this name; the name itself when there is none. */
  readonly idOf: (name: string) => string
}

/** Of a run that is not prepared yet. */
export const noTools: RunTools = { byId: new Map(), offered: [], wireName: (id) => id, idOf: (name) => name }

/** Lengths and letters that every provider accepts in a tool's name. */
const maxNameLength = 64
const notAllowed = /[^A-Za-z0-9_-]/g

/**
 * Names the tools of a run for its model. Ids are kept as they are where providers accept them; others are written
 * with `_`, and numbered when that makes two the same. Of two tools with one id the first stays.
 *
 * @param reserved names that other tools of the model have
 */
export function toRunTools(
  { tools, deferred }: Pick<AgentToolset, 'tools' | 'deferred'>,
  logger: Logger,
  reserved: readonly string[] = [],
): RunTools {
  const byId = new Map<string, Tool>()
  const idByName = new Map(reserved.map((name) => [name, name]))
  // of those that have another name than their id
  const nameById = new Map<string, string>()
  const offered: LanguageModelV4FunctionTool[] = []
  for (const tool of tools) {
    if (byId.has(tool.id)) {
      logger.warn('Two tools of a run have the same id. The second one is disabled.', { tool: tool.id })
      continue
    }
    const name = freeName(tool.id.replace(notAllowed, '_').slice(0, maxNameLength), idByName)
    byId.set(tool.id, tool)
    idByName.set(name, tool.id)
    if (name !== tool.id) nameById.set(tool.id, name)
    if (!deferred?.has(tool.id)) offered.push(toOffered(name, tool))
  }
  return {
    byId,
    offered,
    wireName: (id) =>
      nameById.get(id) ?? (byId.has(id) ? id : id.replace(notAllowed, '_').slice(0, maxNameLength) || '_'),
    // some models put blanks around a name
    idOf: (name) => idByName.get(name) ?? idByName.get(name.trim()) ?? name,
  }
}

function freeName(wanted: string, taken: ReadonlyMap<string, string>): string {
  for (let number = 2, name = wanted; ; number += 1) {
    if (!taken.has(name)) return name
    const suffix = `_${number}`
    name = wanted.slice(0, maxNameLength - suffix.length) + suffix
  }
}

const toOffered = (name: string, { description, inputSchema }: Tool): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema,
})

/**
 * Names the tool that a call is for by its id. A call of `call_tool` becomes one of the tool that it names (D35), before guards,
 * rules, the ledger or a person see it.
 */
export function withToolId(tools: Pick<RunTools, 'byId' | 'idOf'>, part: AssistantPart): AssistantPart {
  if (part.type !== 'tool_call') return part
  const name = tools.idOf(part.name)
  const call = name === part.name ? part : { ...part, name }
  return name === callToolId && tools.byId.has(callToolId) ? toNamedCall(tools, call) : call
}

/** One that names no other tool stays as it is: its check says what is wrong. */
function toNamedCall(tools: Pick<RunTools, 'byId' | 'idOf'>, call: ToolCallPart): ToolCallPart {
  const { args } = call
  if (!isJsonObject(args) || typeof args['tool'] !== 'string') return call
  const given = args['tool'].trim()
  const name = tools.byId.has(given) ? given : tools.idOf(given)
  if (name === '' || name === callToolId) return call
  const own = args['arguments'] ?? {}
  // some models write the arguments as a text
  return { ...call, name, args: typeof own === 'string' ? parseArguments(own) : own, via: callToolId }
}
