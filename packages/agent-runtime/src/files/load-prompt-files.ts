import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { FileStore } from '../store/ports/file-store.ts'
import { changeFiles, fileMarkOf, filePartTokens, filesIn } from './prompt-files.ts'

/** Tokens of a prompt. Files count by their medium. */
export function promptTokens(
  estimateTokens: (text: string) => number,
  prompt: LanguageModelV4Prompt,
): number {
  const text = estimateTokens(JSON.stringify(prompt))
  return filesIn(prompt).reduce((sum, file) => sum + filePartTokens(file), text)
}

/** Most bytes of files in addition to those of the task itself: a call holds them several times, and providers reject larger ones. */
export const maxEarlierBytes = 32 * 1024 * 1024
/** Most bytes of the files of the task itself. */
const maxOwnBytes = 128 * 1024 * 1024

/** Bytes of the files that a call sends. */
interface PromptFileBytes {
  /** Of the task: it makes no sense without them. */
  readonly own: number
  /** Of earlier messages, of tools and of the model itself. */
  readonly earlier: number
}

/** @param maxEarlier as for {@link loadPromptFiles} */
export function promptFileBytes(
  prompt: LanguageModelV4Prompt,
  maxEarlier: number = maxEarlierBytes,
): PromptFileBytes {
  const files = filesIn(prompt)
  const skippedRanges = leaveOut(files, maxEarlier)
  const sum = (isOptional: boolean) =>
    files
      .filter((file) => !skippedRanges.has(file) && fileMarkOf(file)?.optional === isOptional)
      .reduce((all, file) => all + bytesOf(file), 0)
  return { own: sum(false), earlier: sum(true) }
}

const bytesOf = (file: ReturnType<typeof filesIn>[number]) => fileMarkOf(file)?.bytes ?? 0

/**
 * The oldest files that are one too many, half of them at once, so that prompts begin alike for a while. A longer prompt leaves
 * out the same ones and perhaps more.
 */
function leaveOut(files: ReturnType<typeof filesIn>, most: number): ReadonlySet<object> {
  const skippedRanges = new Set<object>()
  const kept: typeof files = []
  let sum = 0
  for (const file of files) {
    if (fileMarkOf(file)?.optional !== true) continue
    kept.push(file)
    sum += bytesOf(file)
    const target = sum > most ? most / 2 : most
    while (sum > target && (kept.length > 1 || sum > most)) {
      const oldest = kept.shift()
      if (!oldest) break
      skippedRanges.add(oldest)
      sum -= bytesOf(oldest)
    }
  }
  return skippedRanges
}

/**
 * The same prompt with the bytes of its files, always the same ones, so that prompt caches keep working.
 *
 * @param maxEarlier Most bytes of files in addition to those of the task itself. Beyond them the oldest are replaced by words.
 * @throws {RuntimeError} `not_found` if a file of the task itself was deleted; `validation_error` if its files are too large together.
 */
export async function loadPromptFiles(
  store: Pick<FileStore, 'findFile'>,
  prompt: LanguageModelV4Prompt,
  signal: AbortSignal,
  maxEarlier: number = maxEarlierBytes,
): Promise<LanguageModelV4Prompt> {
  const files = filesIn(prompt)
  const { own } = promptFileBytes(prompt, maxEarlier)
  if (own > maxOwnBytes) throw ownTooLarge(own)
  const skippedRanges = leaveOut(files, maxEarlier)
  const loaded = new Map<string, Uint8Array | undefined>()
  for (const file of files) {
    const id = skippedRanges.has(file) ? undefined : idOf(file)
    if (id !== undefined && !loaded.has(id)) loaded.set(id, (await store.findFile(id, signal))?.content)
  }
  if (loaded.size === 0 && skippedRanges.size === 0) return prompt
  return changeFiles(prompt, (part) => {
    const id = idOf(part)
    if (id === undefined) return part
    const name = part.filename ?? 'file'
    if (skippedRanges.has(part))
      return { type: 'text', text: `[The file "${name}" is not shown: the files together are too large.]` }
    const data = loaded.get(id)
    if (data) return { ...part, data: { type: 'data', data } }
    if (fileMarkOf(part)?.optional) return { type: 'text', text: `[The file "${name}" was deleted.]` }
    throw new RuntimeError(
      'not_found',
      `Calling the model failed: the file "${name}" was deleted. Send the file again.`,
    )
  })
}

const idOf = ({ data }: { readonly data: ReturnType<typeof filesIn>[number]['data'] }) =>
  data.type === 'reference' ? data.reference['homeward'] : undefined

const ownTooLarge = (bytes: number) =>
  new RuntimeError(
    'validation_error',
    `Calling the model failed: the files of a message must have at most ${maxOwnBytes} bytes in total, got ${bytes}. Send fewer or smaller files.`,
  )
