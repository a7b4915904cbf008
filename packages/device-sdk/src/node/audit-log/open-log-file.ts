import { type FileHandle, open } from 'node:fs/promises'

/** A log file that ends with a whole line. */
export interface LogFile {
  readonly handle: FileHandle
  readonly size: number
}

/** Opens a file of lines for appending. What a killed write left of a last line is cut off. */
export async function openLogFile(file: string): Promise<LogFile> {
  const handle = await open(file, 'a+', 0o600)
  try {
    await cutTornLine(handle)
    return { handle: handle, size: (await handle.stat()).size }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const blockBytes = 64 * 1024
const newline = 10

async function cutTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat()
  let end = size
  while (end > 0) {
    const start = Math.max(0, end - blockBytes)
    const block = Buffer.alloc(end - start)
    const { bytesRead } = await handle.read(block, 0, block.length, start)
    const at = block.subarray(0, bytesRead).lastIndexOf(newline)
    if (at >= 0) {
      end = start + at + 1
      break
    }
    end = start
  }
  if (end === size) return
  await handle.truncate(end)
  await handle.sync()
}
