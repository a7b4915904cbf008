import { changed, onDisk, type StreamedFile } from './stream-file.ts'

/**
 * Reads pieces of an open file, in any order and as often as asked, from the one descriptor that was checked. A file that
 * is no longer as long as it was ends in `FILE_UNAVAILABLE`.
 */
export function createRangeReader(file: StreamedFile): (start: number, end: number) => Promise<Uint8Array> {
  const { size, name, signal } = file
  return async (start, end) => {
    signal.throwIfAborted()
    const found = await onDisk(file, (handle) => handle.stat())
    if (found.size !== size) throw changed(name, found.size < size ? 'it became shorter' : 'it became longer')
    const bytes = new Uint8Array(end - start)
    for (let got = 0; got < bytes.length;) {
      const { bytesRead } = await onDisk(file, (handle) =>
        handle.read(bytes, got, bytes.length - got, start + got),
      )
      if (bytesRead === 0) throw changed(name, 'it became shorter')
      got += bytesRead
    }
    return bytes
  }
}
