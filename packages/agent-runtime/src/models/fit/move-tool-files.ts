import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ToolContentParts } from '../../files/prompt-files.ts'
import { accepts, describeFile } from './fit-files.ts'
import { placeholder } from './fit-messages.ts'
import type { WireRules } from './wire-rules.ts'

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>
type ToolPart = ToolMessage['content'][number]
type ToolOutput = Extract<ToolPart, { type: 'tool-result' }>['output']

/**
 * Moves files that the API takes from users only out of the results of tools, into a message of the user's right after them.
 * Expects a prompt in the order of `fitMessages`, and keeps that order.
 */
export function moveToolFiles(prompt: LanguageModelV4Prompt, rules: WireRules): LanguageModelV4Prompt {
  const moved: LanguageModelV4Message[] = []
  /** Files that the next message of the user's has to hold. */
  let files: UserPart[] = []
  for (const message of prompt) {
    if (files.length > 0 && message.role === 'user') {
      moved.push({ ...message, content: [...files, ...message.content] })
      files = []
      continue
    }
    if (files.length > 0) moved.push(...toMessages(files, rules))
    files = []
    if (message.role !== 'tool') moved.push(message)
    else {
      const content = message.content.map((part) => fitResult(part, rules, files))
      moved.push({ ...message, content })
    }
  }
  return files.length > 0 ? [...moved, ...toMessages(files, rules)] : moved
}

function toMessages(content: UserPart[], { answersBeforeUser }: WireRules): LanguageModelV4Message[] {
  const message = { role: 'user', content } as const
  if (!answersBeforeUser) return [message]
  return [{ role: 'assistant', content: [{ type: 'text', text: placeholder }] }, message]
}

function fitResult(part: ToolPart, { toolFiles }: WireRules, files: UserPart[]): ToolPart {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  const value: ToolContentParts = []
  for (const each of part.output.value) {
    if (each.type === 'file' && !accepts(toolFiles, each.mediaType)) {
      const { filename = 'a file' } = each
      files.push({ type: 'text', text: `[${filename}, from ${part.toolName}]` }, each)
      value.push({ type: 'text', text: `[${describeFile(each)}: in the next message]` })
    } else if (each.type !== 'text' || each.text.trim() !== '') value.push(each)
  }
  return { ...part, output: toOutput(value) }
}

/** Content without files is plain text: not every API reads lists of texts. */
function toOutput(value: ToolContentParts): ToolOutput {
  if (value.some(({ type }) => type !== 'text')) return { type: 'content', value }
  const texts = value.map((part) => (part.type === 'text' ? part.text : ''))
  return { type: 'text', value: texts.join('\n') || '(no output)' }
}
