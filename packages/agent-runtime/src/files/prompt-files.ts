import type { LanguageModelV4FilePart, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Json } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../json/json-object.ts'
import type { FileReference } from '../ports/file.ts'
import { fileTokens } from './file-tokens.ts'

type Message = LanguageModelV4Prompt[number]
type UserPart = Extract<Message, { role: 'user' }>['content'][number]
type AssistantPart = Extract<Message, { role: 'assistant' }>['content'][number]
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number]
type ToolResultPart = Extract<ToolPart, { type: 'tool-result' }>
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
 * @param optional Whether the run continues without the file if the model cannot read it: a file of an earlier message, of a
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
interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** Gives what stands in the place of a file, or the file itself. */
type ChangeFile = (
  file: LanguageModelV4FilePart,
  role: 'user' | 'assistant' | 'tool',
) => LanguageModelV4FilePart | TextPart

/** The same prompt with other files. Messages without files stay as they are. */
export function changeFiles(prompt: LanguageModelV4Prompt, change: ChangeFile): LanguageModelV4Prompt {
  return prompt.map((message): Message => {
    if (message.role === 'system' || filesOf(message).length === 0) return message
    const { role } = message
    if (role === 'tool')
      return { ...message, content: message.content.map((part) => changeResult(part, change)) }
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

function changeResult(part: ToolPart, change: ChangeFile): ToolPart {
  if (part.type !== 'tool-result' || part.output.type !== 'content') return part
  const value = part.output.value.map((each): ToolContentParts[number] => {
    return each.type === 'file' ? change(each, 'tool') : each
  })
  return { ...part, output: { ...part.output, value } }
}

/** All files of a prompt, in order. */
export const filesIn = (prompt: LanguageModelV4Prompt): LanguageModelV4FilePart[] => prompt.flatMap(filesOf)

const none: readonly LanguageModelV4FilePart[] = []

/** Files of a message. Most have none: each prompt is read for them before it is sent. */
function filesOf(message: Message): readonly LanguageModelV4FilePart[] {
  if (message.role === 'system') return none
  let files: LanguageModelV4FilePart[] | undefined
  for (const part of message.content) {
    if (part.type === 'file') (files ??= []).push(part)
    else if (message.role === 'tool' && part.type === 'tool-result' && part.output.type === 'content')
      for (const each of part.output.value) if (each.type === 'file') (files ??= []).push(each)
  }
  return files ?? none
}

/** Files without which the run must not go on. */
export const ownFilesOf = (prompt: LanguageModelV4Prompt): Pick<FileReference, 'name' | 'media_type'>[] =>
  filesIn(prompt)
    .filter((part) => fileMarkOf(part)?.optional === false)
    .map(({ filename = 'file', mediaType }) => ({ name: filename, media_type: mediaType }))
