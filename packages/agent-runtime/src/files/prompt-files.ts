import type { LanguageModelV4FilePart, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'
import type { FileReference } from '../ports/file.ts'
import { fileTokens } from './file-tokens.ts'

type Message = LanguageModelV4Prompt[number]
type UserPart = Extract<Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number]
type ToolResultPart = Extract<Extract<Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>
/** Texts and files of a tool's result. */
export type ToolContentParts = Extract<ToolResultPart['output'], { type: 'content' }>['value']

/** What a part of a prompt says about the stored file that it stands for. No provider gets it. */
interface FileMark {
  readonly bytes: number
  /** Whether a model that cannot read the file is told so in words. Else the call fails. */
  readonly optional: boolean
}

/**
 * A part of a prompt that stands for a stored file. Its bytes are loaded with each model call, so that a run does not hold
 * them.
 *
 * @param optional Whether the run goes on without the file if the model cannot read it: a file of an earlier message, of a
 * tool or of the model itself.
 */
export function toFilePart(file: FileReference, optional: boolean): LanguageModelV4FilePart {
  return {
    type: 'file',
    filename: file.name,
    mediaType: file.media_type,
    data: { type: 'reference', reference: { homeward: file.id } },
    providerOptions: { homeward: { bytes: file.bytes, optional } },
  }
}

/** What {@link toFilePart} noted; undefined for parts that somebody else made. */
export function fileMarkOf(part: Pick<LanguageModelV4FilePart, 'providerOptions'>): FileMark | undefined {
  const mark = part.providerOptions?.['homeward']
  if (typeof mark?.['bytes'] !== 'number') return undefined
  return { bytes: mark['bytes'], optional: mark['optional'] === true }
}

/** Tokens of a file in a prompt, by its medium. */
export function filePartTokens(part: LanguageModelV4FilePart): number {
  const { mediaType: media_type, data } = part
  const sent = data.type === 'data' ? data.data.length : 0
  return fileTokens({ media_type, bytes: fileMarkOf(part)?.bytes ?? sent })
}

/** The stored result of a tool as texts and files. Only files that the result owns count, whatever its JSON says. */
export function toToolContentParts(result: Json, files: readonly FileReference[]): ToolContentParts {
  const left = new Map(files.map((file) => [file.id, file]))
  const parts: ToolContentParts = []
  const say = (value: Json) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    parts.push({ type: 'text', text: text.toWellFormed() })
  }
  const { content, ...others } = isJsonObject(result) ? result : { content: undefined }
  if (!Array.isArray(content)) say(result)
  else {
    if (Object.keys(others).length > 0) say(others)
    for (const part of content) {
      const { id, text } = isJsonObject(part) ? part : {}
      const file = typeof id === 'string' ? left.get(id) : undefined
      if (file) {
        left.delete(file.id)
        parts.push(toFilePart(file, true))
      } else say(typeof text === 'string' ? text : part)
    }
  }
  // a result that was too long was cut, with its references
  for (const file of left.values()) parts.push(toFilePart(file, true))
  return parts
}

/** A part with text, in the place of a file. */
export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** Gives what stands in the place of a file, or the file itself. */
export type ChangeFile = (
  file: LanguageModelV4FilePart,
  role: 'user' | 'assistant' | 'tool',
) => LanguageModelV4FilePart | TextPart

/** The same prompt with other files. Messages without files stay as they are. */
export function changeFiles(prompt: LanguageModelV4Prompt, change: ChangeFile): LanguageModelV4Prompt {
  return prompt.map((message): Message => {
    if (message.role === 'system') return message
    if (message.role === 'tool') {
      const content = message.content.map((part) => changeResult(part, change))
      return content.every((part, index) => part === message.content[index])
        ? message
        : { ...message, content }
    }
    const { role } = message
    if (message.content.every(({ type }) => type !== 'file')) return message
    if (role === 'user') {
      const content = message.content.map((part): UserPart =>
        part.type === 'file' ? change(part, role) : part,
      )
      return { ...message, content }
    }
    const content = message.content.map((part): AssistantPart => {
      return part.type === 'file' ? change(part, role) : part
    })
    return { ...message, content }
  })
}

function changeResult<Part extends { readonly type: string }>(
  part: Part | ToolResultPart,
  change: ChangeFile,
): Part | ToolResultPart {
  if (!isToolResult(part) || part.output.type !== 'content') return part
  if (part.output.value.every(({ type }) => type !== 'file')) return part
  const value = part.output.value.map((each): ToolContentParts[number] => {
    return each.type === 'file' ? change(each, 'tool') : each
  })
  return { ...part, output: { ...part.output, value } }
}

const isToolResult = (part: { readonly type: string }): part is ToolResultPart => part.type === 'tool-result'

/** All files of a prompt, in order. */
export function filesIn(prompt: LanguageModelV4Prompt): LanguageModelV4FilePart[] {
  const files: LanguageModelV4FilePart[] = []
  changeFiles(prompt, (file) => {
    files.push(file)
    return file
  })
  return files
}

/** Files without which the run must not go on. */
export const ownFilesOf = (prompt: LanguageModelV4Prompt): Pick<FileReference, 'name' | 'media_type'>[] =>
  filesIn(prompt)
    .filter((part) => fileMarkOf(part)?.optional === false)
    .map(({ filename = 'file', mediaType }) => ({ name: filename, media_type: mediaType }))
