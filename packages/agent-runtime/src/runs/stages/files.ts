import type { LanguageModelV4File } from '@ai-sdk/provider'
import { FileBytes, maxFiles } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { loadPromptFiles, promptFileBytes } from '../../files/load-prompt-files.ts'
import { toFileReference, toNewFiles, type NewFiles } from '../../files/to-files.ts'
import type { FilePart } from '../../ports/message.ts'
import type { NewAgentRun } from '../../store/ports/run-store.ts'
import type { Run } from '../loop/run.ts'
import type { Stage, Tell } from '../loop/stage.ts'
import { modelFilesOf } from '../run-messages.ts'
import type { RunsContext } from '../runs-options.ts'

/** Sends calls with the bytes of their files. While the answer is read, nothing holds them, nor the request. */
export const filesStage = (context: RunsContext): Stage => ({
  name: 'files',
  async send(options, model, send) {
    const { store, fileGate, fileLimits } = context
    const signal = options.abortSignal ?? new AbortController().signal
    const maxBytes = fileLimits.get(model)
    const { own, earlier } = promptFileBytes(options.prompt, maxBytes)
    const leave = own + earlier > 0 ? await fileGate.enter(own + earlier, signal) : undefined
    try {
      const load = () => loadPromptFiles(store, options.prompt, signal, maxBytes)
      return await send({ ...options, prompt: await whileStoreFails(context, load, signal) })
    } finally {
      leave?.()
    }
  },
})

/**
 * Stores a file that the model made, and announces it.
 *
 * @returns undefined, with a warning of the run, for a file that cannot be kept.
 */
export async function keepModelFile(
  run: Run,
  { mediaType, data, providerMetadata }: LanguageModelV4File,
  tell: Tell,
): Promise<FilePart | undefined> {
  const { context } = run
  const known = modelFilesOf(run.writer.messages).length + (run.open?.turn?.parts ?? []).filter(isFile).length
  const bytes = data.type === 'data' ? FileBytes.safeParse(data.data).data : undefined
  if (bytes === undefined || known >= maxFiles) {
    const why = bytes ? `a run can have at most ${maxFiles} files` : 'it is empty, unreadable or too large'
    const warning = `Saving a file of the model failed: ${why}.`
    if (!run.progress.warnings.includes(warning)) run.warn(warning)
    return undefined
  }
  const given = [{ media_type: mediaType.toLowerCase(), data: bytes }]
  // what is written of the turn before must not take along what this one tells from here on
  await run.writer.flushIfDue()
  const added = await toNewFiles(given, context.createId, known + 1)
  await whileStoreFails(context, () => saveRunFiles(context, run.row, added), run.signal)
  const [file] = added.files
  if (!file) return undefined
  const { id, name, media_type, bytes: size } = file
  tell({ event: 'file', data: { id, name, media_type, bytes: size } })
  // provider metadata is JSON by its contract
  const provider_data = providerMetadata as FilePart['provider_data']
  return { type: 'file', ...toFileReference(file), ...(provider_data && { provider_data }) }
}

const isFile = ({ type }: { readonly type: string }) => type === 'file'

/** Stores files that a run made. They are deleted with the run, or with its conversation. */
export async function saveRunFiles(
  { store, timestamp }: Pick<RunsContext, 'store' | 'timestamp'>,
  run: Pick<NewAgentRun, 'id' | 'conversationId' | 'store'>,
  { files, contents }: NewFiles,
): Promise<void> {
  const conversationId = run.store ? run.conversationId : undefined
  await store.saveFiles({
    owner: { kind: 'run', id: run.id, conversationId },
    files,
    contents,
    now: timestamp(),
  })
}
