import type { Transcriber } from '../../models/transcriber.ts'
import type { LoadedFile } from '../../ports/channel.ts'
import type { Logger } from '../../ports/logger.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { StoredInboundFile } from '../../store/ports/channel-input.ts'
import type { RuntimeStore } from '../../store/ports/runtime-store.ts'
import { describeFile } from './describe-file.ts'

/** What turning voice messages into text needs. */
export interface Hearing {
  readonly store: Pick<RuntimeStore, 'findFile'>
  readonly transcribe?: Transcriber['transcribe']
  readonly logger: Logger
  readonly messageId: string
}

/** Turns a voice message into text. @returns undefined if voice messages stay files. */
export async function hear(
  { store, transcribe, logger, messageId }: Hearing,
  file: StoredInboundFile,
  loaded: LoadedFile | undefined,
  signal: AbortSignal,
): Promise<{ readonly said: string } | { readonly line: string } | undefined> {
  const content = loaded?.content ?? (file.stored && (await store.findFile(file.stored.id))?.content)
  if (content === undefined) return undefined
  const mediaType = file.mediaType ?? loaded?.mediaType ?? 'audio/ogg'
  try {
    const said = await transcribe?.({ content, mediaType }, signal)
    if (said === undefined) return undefined
    return said === '' ? { line: describeFile(file, 'nothing was said') } : { said }
  } catch (error) {
    if (signal.aborted) throw error
    logger.warn('Transcribing a voice message failed.', {
      messageId,
      reason: toReason(error),
    })
    return { line: describeFile(file, 'could not be transcribed') }
  }
}

/** A failure of a model in words. What the provider wrote may hold a part of the key. */
function toReason(error: unknown): string {
  if (RuntimeError.is(error)) return error.message
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
  return typeof status === 'number' ? `the model replied with HTTP ${status}` : 'the model gave no response'
}
