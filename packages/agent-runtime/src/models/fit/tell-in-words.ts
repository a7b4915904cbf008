import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'

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

function tellPart(part: AssistantPart): readonly AssistantPart[] {
  if (part.type === 'text' || part.type === 'file') return [part]
  if (part.type !== 'tool-call') return []
  return [{ type: 'text', text: `[Called ${part.toolName} with ${JSON.stringify(part.input)}]` }]
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

function filesOf(part: ToolPart): LanguageModelV4FilePart[] {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return []
  return part.output.value.filter((each) => each.type === 'file')
}

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
