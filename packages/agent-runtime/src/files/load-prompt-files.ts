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

/**
 * The same prompt with the bytes of its files, always the same ones, so that prompt caches keep working.
 *
 * @throws {RuntimeError} `not_found` if a file of the task itself was deleted.
 */
export async function loadPromptFiles(
  store: Pick<FileStore, 'findFile'>,
  prompt: LanguageModelV4Prompt,
  signal: AbortSignal,
): Promise<LanguageModelV4Prompt> {
  const loaded = new Map<string, Uint8Array | undefined>()
  for (const file of filesIn(prompt)) {
    const id = idOf(file)
    if (id !== undefined && !loaded.has(id)) loaded.set(id, (await store.findFile(id, signal))?.content)
  }
  if (loaded.size === 0) return prompt
  return changeFiles(prompt, (part) => {
    const id = idOf(part)
    if (id === undefined) return part
    const data = loaded.get(id)
    if (data) return { ...part, data: { type: 'data', data } }
    const name = part.filename ?? 'file'
    if (fileMarkOf(part)?.optional) return { type: 'text', text: `[The file "${name}" was deleted.]` }
    throw new RuntimeError(
      'not_found',
      `Calling the model failed: the file "${name}" was deleted. Send it again.`,
    )
  })
}

const idOf = ({ data }: { readonly data: ReturnType<typeof filesIn>[number]['data'] }) =>
  data.type === 'reference' ? data.reference['homeward'] : undefined
