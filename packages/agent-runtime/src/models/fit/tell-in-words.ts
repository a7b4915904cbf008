import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json } from '@homeward/contract/agent-platform'
import { toReadableResult } from '../../json/readable-result.ts'
import { cut } from '../../json/to-json.ts'

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number]
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]

/**
 * The same prompt with its tool calls told in words: for a call that offers no tools, which providers refuse when the prompt
 * holds calls or results.
 */
export function tellInWords(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role === 'tool') {
      const text = message.content.map(tellResult).filter(Boolean).join('\n\n')
      return { role: 'user', content: [...message.content.flatMap(filesOf), { type: 'text', text }] }
    }
    if (message.role !== 'assistant') return message
    return { ...message, content: message.content.flatMap(tellPart) }
  })
}

/** A part of an answer in words: a call, or the result of a tool that the provider ran itself. */
export function tellPart(part: AssistantPart): readonly AssistantPart[] {
  if (part.type === 'text' || part.type === 'file') return [part]
  if (part.type === 'tool-result') {
    const { output } = part
    // of a prompt that was made from stored JSON
    const value = output.type === 'json' ? toReadableResult(output.value as Json) : undefined
    const told = tellResult(value === undefined ? part : { ...part, output: { type: 'json', value } })
    return [{ type: 'text', text: `${cut(told, maxResultChars)}\n` }]
  }
  if (part.type !== 'tool-call') return []
  return [{ type: 'text', text: `[Called ${part.toolName} with ${JSON.stringify(part.input)}]\n` }]
}

function tellResult(part: ToolPart): string {
  if (part.type !== 'tool-result') return ''
  const { output, toolName } = part
  if (output.type === 'error-text' || output.type === 'error-json') {
    return `[Error of ${toolName}: ${toText(output.value)}]`
  }
  if (output.type === 'execution-denied') return `[${toolName} was not called: ${output.reason ?? 'denied'}]`
  if (output.type !== 'content') return `[Result of ${toolName}: ${toText(output.value)}]`
  const texts = output.value.map((each) => {
    if (each.type === 'text') return each.text
    return each.type === 'file' ? `(the file ${each.filename ?? ''})` : ''
  })
  return `[Result of ${toolName}: ${texts.join('\n')}]`
}

/** Files of results: in a message of the user's they are shown as they are. */
function filesOf(part: ToolPart): LanguageModelV4FilePart[] {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return []
  return part.output.value.filter((each) => each.type === 'file')
}

/** Characters of a hosted tool's result that another model is told. */
const maxResultChars = 4000

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
