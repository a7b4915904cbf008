import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'

/**
 * Reads the first `maxBytes` of a regular file; links are followed. Anything else is not opened: opening a device can have
 * effects, and a pipe that nobody writes to would never open.
 *
 * @throws {Error} if it is not a regular file, or cannot be read.
 */
export async function readPlainFile(file: string, maxBytes: number): Promise<Buffer> {
  const assertRegular = (facts: { isFile(): boolean }): void => {
    if (!facts.isFile()) throw new Error(`Reading ${JSON.stringify(file)} failed: it is not a regular file.`)
  }
  assertRegular(await stat(file))
  // Windows has no such flag, and no pipes in folders.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    // Checked again, because another file may have taken its name.
    assertRegular(await handle.stat())
    const content = Buffer.alloc(maxBytes)
    let length = 0
    while (length < maxBytes) {
      const { bytesRead } = await handle.read(content, length, maxBytes - length, null)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return content.subarray(0, length)
  } finally {
    await handle.close()
  }
}
