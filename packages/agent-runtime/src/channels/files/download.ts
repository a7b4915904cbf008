import { sleep } from '@homeward/kit'
import type { LoadedFile } from '../../ports/channel.ts'
import type { StoredInboundFile } from '../../store/ports/channel-input.ts'
import { ChannelError } from '../channel-error.ts'
import type { ChannelSet } from '../channel-set.ts'
import { maxFileBytes } from './describe-file.ts'

/** Waits before further tries, in milliseconds. */
const retryDelaysMs = [1000, 4000]

/**
 * Downloads a file, after some waiting if the platform could not be reached.
 *
 * @throws {ChannelError}
 */
export async function download(
  set: Pick<ChannelSet, 'current'>,
  channelId: string,
  { reference, bytes = 0 }: StoredInboundFile,
  signal: AbortSignal,
): Promise<LoadedFile> {
  const channel = (await set.current()).get(channelId)?.channel
  if (!channel?.loadFile || reference === undefined)
    throw new ChannelError('permanent', 'Loading a file failed: the channel does not support files.')
  if (bytes > maxFileBytes) throw tooLarge()
  for (const delayMs of [...retryDelaysMs, undefined]) {
    try {
      const loaded = await channel.loadFile(reference, { signal, maxBytes: maxFileBytes })
      if (loaded.content.length > maxFileBytes) throw tooLarge()
      return loaded
    } catch (error) {
      const mayPass = ChannelError.is(error) && (error.code === 'temporary' || error.code === 'rate_limited')
      if (signal.aborted || !mayPass || delayMs === undefined) throw error
      await sleep(Math.min(Math.max(delayMs, error.retryAfterMs ?? 0), 30_000), signal)
    }
  }
  throw tooLarge() // not reached: the last try returns or throws
}

const tooLarge = () => new ChannelError('too_long', 'Loading a file failed: the file is too large.')
