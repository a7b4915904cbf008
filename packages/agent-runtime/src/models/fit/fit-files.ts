import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { isTextType } from '../../files/media-type.ts'
import { changeFiles, fileMarkOf, type ToolContentParts } from '../../files/prompt-files.ts'
import type { FileReference } from '../../ports/file.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { ResolvedModel } from '../models.ts'
import { placeholder } from './fit-messages.ts'
import { rulesOf, type WireRules } from './wire-rules.ts'

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number]
type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]
type ToolOutput = Extract<ToolPart, { type: 'tool-result' }>['output']

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
  const unread =
    rules && files.find(({ media_type: type }) => !accepts(rules.files, type) && !isTextType(type))
  if (unread) throw notReadable(`${attempt} failed: the model ${name}`, unread.name, unread.media_type)
}

/**
 * Fits the files of a prompt: text goes along as text where the API takes no such file, and a file of an earlier message, of a
 * tool or of the model itself that the API cannot take is told in words. Files that results of tools cannot hold stay there
 * for {@link moveToolFiles}.
 *
 * @throws {RuntimeError} `validation_error` for such a file of the task itself.
 */
export function fitFiles(prompt: LanguageModelV4Prompt, rules: WireRules): LanguageModelV4Prompt {
  const fitted = changeFiles(prompt, (file, role) => {
    if (role === 'assistant' && !accepts(rules.answerFiles ?? [], file.mediaType))
      return { type: 'text', text: `[${describeFile(file)}]` }
    // text in a result stays there
    const isText = role === 'tool' && isTextType(file.mediaType)
    return fitFile(file, rules, isText ? rules.toolFiles : rules.files)
  })
  return fitted.map((message) => (message.role === 'user' ? joinTexts(message) : message))
}

/** One text instead of two neighbors: servers with a chat template of their own may read only texts. */
function joinTexts(message: Extract<LanguageModelV4Message, { role: 'user' }>): LanguageModelV4Message {
  const content: UserPart[] = []
  for (const part of message.content) {
    const last = content.at(-1)
    if (part.type === 'text' && last?.type === 'text')
      content[content.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` }
    else content.push(part)
  }
  return content.length === message.content.length ? message : { ...message, content }
}

function fitFile(
  part: LanguageModelV4FilePart,
  { provider }: WireRules,
  accepted: WireRules['files'],
): UserPart {
  const mark = fileMarkOf(part)
  if (!mark || part.data.type !== 'data') return part
  const { filename: name = 'file', mediaType } = part
  if (accepts(accepted, mediaType)) {
    const { homeward: _, ...data } = part.providerOptions ?? {}
    const { providerOptions: _all, ...plain } = part
    return Object.keys(data).length > 0 ? { ...plain, providerOptions: data } : plain
  }
  if (isTextType(mediaType) && part.data.data instanceof Uint8Array) {
    // no text ends its own frame: what follows would look like the user's words
    const text = new TextDecoder().decode(part.data.data).replaceAll(/<(?=\/file)/gi, '<\\')
    return { type: 'text', text: `<file name="${name}">\n${text}\n</file>` }
  }
  if (!mark.optional) throw notReadable(`Calling the model failed: ${provider}`, name, mediaType)
  return { type: 'text', text: `[${describeFile(part)}: this model cannot read it]` }
}

/** Whether a list of media types has one. */
export const accepts = (list: readonly string[] | undefined, mediaType: string): boolean =>
  list === undefined ||
  list.includes(mediaType) ||
  (list.includes(mediaType.replace(/\/.*$/, '/*')) && mediaType !== 'image/svg+xml')

const media = { image: 'picture', audio: 'sound', video: 'video' } as const

/** A file in a few words: `picture chart.png, image/png, 20 KB`. */
export function describeFile({ filename = 'file', mediaType, data }: LanguageModelV4FilePart): string {
  const kind = media[mediaType.split('/', 1)[0] as keyof typeof media] ?? 'file' // any other key gives undefined
  const bytes = data.type === 'data' && typeof data.data !== 'string' ? data.data.length : undefined
  const size = bytes === undefined ? '' : `, ${Math.max(1, Math.round(bytes / 1000))} KB`
  return `${kind} ${filename}, ${mediaType}${size}`
}

const notReadable = (who: string, name: string, mediaType: string) =>
  new RuntimeError(
    'validation_error',
    `${who} cannot read the file "${name}" (${mediaType}). Choose another model, or send the file in another format.`,
  )

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
