import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isTextType } from '../../files/media-type.ts'
import { fileMarkOf } from '../../files/prompt-files.ts'
import type { FileReference } from '../../ports/file.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ResolvedModel } from '../models.ts'
import { rulesOf } from './rules-of.ts'
import type { WireRules } from './wire-rules.ts'

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]

/**
 * Rejects files that a model cannot read, before anything is sent.
 *
 * @throws {RuntimeError} `validation_error` that names the first of them.
 */
export function assertReadable(
  attempt: string,
  { model, name }: ResolvedModel,
  files: readonly Pick<FileReference, 'name' | 'media_type'>[],
): void {
  const rules = rulesOf(model)
  const unread = rules && files.find(({ media_type: type }) => !accepts(rules, type) && !isTextType(type))
  if (unread) throw notReadable(`${attempt} failed: the model ${name}`, unread.name, unread.media_type)
}

/**
 * Fits the files of a prompt: text goes along as text where the API takes no such file, and a file of an earlier message
 * that the API cannot take is told in words.
 *
 * @throws {RuntimeError} `validation_error` for such a file of the run itself.
 */
export function fitFiles(prompt: LanguageModelV4Prompt, rules: WireRules): LanguageModelV4Prompt {
  return prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'user' || message.content.every(({ type }) => type === 'text')) return message
    const content: UserPart[] = []
    for (const part of message.content) {
      const fitted = part.type === 'file' ? fitFile(part, rules) : part
      const last = content.at(-1)
      // One text instead of two: servers with a chat template of their own may read only texts.
      if (fitted.type === 'text' && last?.type === 'text')
        content[content.length - 1] = { ...last, text: `${last.text}\n\n${fitted.text}` }
      else content.push(fitted)
    }
    return { ...message, content }
  })
}

function fitFile(part: LanguageModelV4FilePart, rules: WireRules): UserPart {
  const mark = fileMarkOf(part)
  if (!mark || part.data.type !== 'data') return part
  const { filename: name = 'file', mediaType } = part
  if (accepts(rules, mediaType)) {
    const { providerOptions: _, ...plain } = part
    return plain
  }
  if (isTextType(mediaType) && part.data.data instanceof Uint8Array) {
    const text = new TextDecoder().decode(part.data.data)
    return { type: 'text', text: `<file name="${name}">\n${text}\n</file>` }
  }
  if (!mark.earlier) throw notReadable(`Calling the model failed: ${rules.provider}`, name, mediaType)
  return { type: 'text', text: `[The file "${name}" is not included: this model cannot read ${mediaType}.]` }
}

const accepts = ({ files }: WireRules, mediaType: string) =>
  files === undefined ||
  files.includes(mediaType) ||
  (files.includes(mediaType.replace(/\/.*$/, '/*')) && mediaType !== 'image/svg+xml')

const notReadable = (who: string, name: string, mediaType: string) =>
  new RuntimeError(
    'validation_error',
    `${who} cannot read the file "${name}" (${mediaType}). Choose another model, or send the file in another format.`,
  )
