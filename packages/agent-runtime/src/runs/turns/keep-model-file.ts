import type { LanguageModelV4File } from '@ai-sdk/provider'
import { FileBytes, maxFiles, type RunEvent } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import { toFileReference, toNewFiles } from '../../files/to-files.ts'
import type { FilePart } from '../../ports/message.ts'
import { addWarning, type ActiveRun } from '../active-run.ts'
import { saveRunFiles } from '../persistence/save-run-files.ts'
import { modelFilesOf } from '../run-messages.ts'
import type { RunsContext } from '../runs-options.ts'

/**
 * Stores a file that the model made, and announces it.
 *
 * @returns undefined, with a warning of the run, for a file that cannot be kept.
 */
export async function keepModelFile(
  context: RunsContext,
  run: ActiveRun,
  { mediaType, data, providerMetadata }: LanguageModelV4File,
  announce: (event: RunEvent) => void,
): Promise<FilePart | undefined> {
  const known = modelFilesOf(run.writer.messages).length + (run.turn?.parts ?? []).filter(isFile).length
  const bytes = data.type === 'data' ? FileBytes.safeParse(data.data).data : undefined
  if (bytes === undefined || known >= maxFiles) {
    const why = bytes ? `a run can have at most ${maxFiles} files` : 'it is empty, unreadable or too large'
    const warning = `Saving a file of the model failed: ${why}.`
    if (!run.warnings.includes(warning)) addWarning(run, warning)
    return undefined
  }
  const given = [{ media_type: mediaType.toLowerCase(), data: bytes }]
  // what is written of the turn before must not take along what this one tells from here on
  await run.writer.flushIfDue()
  const added = await toNewFiles(given, context.createId, known + 1)
  await whileStoreFails(context, () => saveRunFiles(context, run.run, added), run.signal)
  const [file] = added.files
  if (!file) return undefined
  const { id, name, media_type, bytes: size } = file
  announce({ event: 'file', data: { id, name, media_type, bytes: size } })
  // provider metadata is JSON by its contract
  const provider_data = providerMetadata as FilePart['provider_data']
  return { type: 'file', ...toFileReference(file), ...(provider_data && { provider_data }) }
}

const isFile = ({ type }: { readonly type: string }) => type === 'file'
