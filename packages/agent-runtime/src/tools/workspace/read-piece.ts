import { constants } from 'node:fs'
import { openEntry, openParent } from './open-entry.ts'
import type { OpenFolderOptions } from './open-folder.ts'
import type { WorkspacePiece } from './workspace.ts'

/** Reads part of a file. */
export async function readPiece(
  root: string,
  path: string,
  { offset, maxBytes }: { readonly offset: number; readonly maxBytes: number },
  how: OpenFolderOptions,
): Promise<WorkspacePiece> {
  const [folder, name] = await openParent(root, path, 'Reading', how)
  try {
    const file = await openEntry(folder, name, constants.O_RDONLY)
    try {
      const { size } = await file.stat()
      const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - offset)))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return { bytes: bytes.subarray(0, filled), size }
    } finally {
      await file.close()
    }
  } finally {
    await folder.close()
  }
}
