import type { LanguageModelV4FilePart, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { FileReference } from '../ports/file.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { FileStore } from '../store/ports/file-store.ts'
import { fileTokens } from './file-tokens.ts'

type Message = LanguageModelV4Prompt[number]
type UserContent = Extract<Message, { role: 'user' }>['content']

/** What a part of a prompt says about the stored file that it stands for. No provider gets it. */
interface FileMark {
  readonly bytes: number
  /** Whether the file belongs to an earlier message: a model that cannot read such a file is told so in words. */
  readonly earlier: boolean
}

/**
 * A part of a prompt that stands for a stored file. Its bytes are loaded with each model call, so that a run does not hold
 * them.
 */
export function toFilePart(file: FileReference, earlier: boolean): LanguageModelV4FilePart {
  return {
    type: 'file',
    filename: file.name,
    mediaType: file.media_type,
    data: { type: 'reference', reference: { homeward: file.id } },
    providerOptions: { homeward: { bytes: file.bytes, earlier } },
  }
}

/** What {@link toFilePart} noted; undefined for parts that somebody else made. */
export function fileMarkOf(part: LanguageModelV4FilePart): FileMark | undefined {
  const mark = part.providerOptions?.['homeward']
  if (typeof mark?.['bytes'] !== 'number') return undefined
  return { bytes: mark['bytes'], earlier: mark['earlier'] === true }
}

/** Files that belong to the run itself, not to earlier messages. */
export function ownFilesOf(prompt: LanguageModelV4Prompt): Pick<FileReference, 'name' | 'media_type'>[] {
  return prompt.flatMap(({ role, content }) =>
    role !== 'user'
      ? []
      : content.flatMap((part) =>
          part.type === 'file' && fileMarkOf(part)?.earlier === false
            ? [{ name: part.filename ?? 'file', media_type: part.mediaType }]
            : [],
        ),
  )
}

/** Tokens of a file in a prompt, by its medium. */
export function filePartTokens(part: LanguageModelV4FilePart): number {
  const { mediaType: media_type, data } = part
  const sent = data.type === 'data' ? data.data.length : 0
  return fileTokens({ media_type, bytes: fileMarkOf(part)?.bytes ?? sent })
}

/** Tokens of a prompt. Files count by their medium. */
export function promptTokens(
  estimateTokens: (text: string) => number,
  prompt: LanguageModelV4Prompt,
): number {
  let tokens = estimateTokens(JSON.stringify(prompt))
  for (const { content } of prompt) {
    if (typeof content === 'string') continue
    for (const part of content) if (part.type === 'file') tokens += filePartTokens(part)
  }
  return tokens
}

/**
 * The same prompt with the bytes of its files, always the same ones, so that prompt caches keep working.
 *
 * @throws {RuntimeError} `not_found` if a file of the run itself was deleted.
 */
export async function loadPromptFiles(
  store: Pick<FileStore, 'findFile'>,
  prompt: LanguageModelV4Prompt,
  signal: AbortSignal,
): Promise<LanguageModelV4Prompt> {
  const loaded = new Map<string, Uint8Array | undefined>()
  const load = async (part: UserContent[number]): Promise<UserContent[number]> => {
    const id =
      part.type === 'file' && part.data.type === 'reference' ? part.data.reference['homeward'] : undefined
    if (part.type !== 'file' || id === undefined) return part
    if (!loaded.has(id)) loaded.set(id, (await store.findFile(id, signal))?.content)
    const data = loaded.get(id)
    if (data) return { ...part, data: { type: 'data', data } }
    const name = part.filename ?? 'file'
    if (fileMarkOf(part)?.earlier) return { type: 'text', text: `[The file "${name}" was deleted.]` }
    throw new RuntimeError(
      'not_found',
      `Calling the model failed: the file "${name}" was deleted. Send it again.`,
    )
  }
  const messages: Message[] = []
  for (const message of prompt) {
    if (message.role !== 'user' || message.content.every(({ type }) => type !== 'file'))
      messages.push(message)
    else {
      const content: UserContent = []
      for (const part of message.content) content.push(await load(part))
      messages.push({ ...message, content })
    }
  }
  return messages
}
