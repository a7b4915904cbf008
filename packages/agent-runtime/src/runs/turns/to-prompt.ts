import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { toFilePart, toToolContentParts } from '../../files/prompt-files.ts'
import type { FileReference } from '../../ports/file.ts'
import type { AssistantPart, ModelMessage, SourcePart, ToolResult } from '../../ports/message.ts'

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type ToolContent = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]

/** Gives the name that a model knows a tool by; the id itself for tools that are gone. */
export type WireName = (toolId: string) => string

/**
 * Turns a stored message into what a model reads. Half of a surrogate pair becomes U+FFFD: providers refuse it.
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
      part.type === 'source' ? [] : toAssistantContent(part, wireName),
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

type PromptPart = Exclude<AssistantPart, SourcePart>
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
