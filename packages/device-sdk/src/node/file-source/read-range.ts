import { DeviceCloudError } from '../../device-cloud-error.ts'
import { changed, type StreamedFile } from './stream-file.ts'

/**
 * Reads pieces of an open file, in any order and as often as asked, from the one descriptor that was checked. A file that
 * is no longer as long as it was ends in `FILE_UNAVAILABLE`.
 */
export function createRangeReader({
  handle,
  size,
  name,
  signal,
}: StreamedFile): (start: number, end: number) => Promise<Uint8Array> {
  return async (start, end) => {
    signal.throwIfAborted()
    const found = await handle.stat().catch((cause: unknown) => {
      throw new DeviceCloudError('FILE_UNAVAILABLE', `Reading "${name}" failed: the disk gave an error.`, {
        cause,
      })
    })
    if (found.size !== size) throw changed(name, found.size < size ? 'it became shorter' : 'it became longer')
    const bytes = new Uint8Array(end - start)
    for (let got = 0; got < bytes.length;) {
      const { bytesRead } = await handle
        .read(bytes, got, bytes.length - got, start + got)
        .catch((cause: unknown) => {
          throw new DeviceCloudError(
            'FILE_UNAVAILABLE',
            `Reading "${name}" failed: the disk gave an error.`,
            { cause },
          )
        })
      if (bytesRead === 0) throw changed(name, 'it became shorter')
      got += bytesRead
    }
    return bytes
  }
}
