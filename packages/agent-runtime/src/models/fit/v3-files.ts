import type {
  LanguageModelV4FilePart,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { changeFiles } from '../../files/prompt-files.ts'

/**
 * The same prompt with its files as models of specification v3 read them: the bytes without a tag, and `file-data` in results
 * of tools. Everything else is alike in v3 and v4.
 */
export function toV3Files(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return changeFiles(prompt, (part, role) => {
    if (part.data.type !== 'data') return part
    const { data } = part.data
    if (role !== 'tool') return asV4({ ...part, data })
    const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64')
    return asV4({ ...part, type: 'file-data', data: base64 })
  })
}

/** A file that a model of specification v3 made, as v4 has it. */
export function fromV3File(part: LanguageModelV4StreamPart): LanguageModelV4StreamPart {
  if (part.type !== 'file') return part
  const data: unknown = part.data
  return typeof data === 'string' || data instanceof Uint8Array
    ? { ...part, data: { type: 'data', data } }
    : part
}

/** Only a model of v3 gets the part. */
const asV4 = (part: object) => part as unknown as LanguageModelV4FilePart
