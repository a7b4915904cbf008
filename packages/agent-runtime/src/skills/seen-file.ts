import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'

/** Sizes that stand for what cannot be seen: it is not there, or a link in a circle, or lies in a barred folder. */
export const missing = -1
export const barred = -2

/** A file or a folder as it was looked at. */
export interface Seen {
  readonly path: string
  /** In bytes; {@link missing} or {@link barred} for what cannot be seen. */
  readonly size: number
  readonly changedMs: number
  /** Changes with the permissions too, which decide whether it can be read. */
  readonly statusChangedMs: number
  readonly inode: number
}

/** Looks at a file or a folder. */
export async function look(path: string): Promise<Seen> {
  const found = await statOf(path)
  if (typeof found === 'number') return unseen(path, found)
  const { size, mtimeMs, ctimeMs, ino } = found
  return { path, size, changedMs: mtimeMs, statusChangedMs: ctimeMs, inode: ino }
}

/** What {@link look} gives of what cannot be seen. */
export function unseen(path: string, size: typeof missing | typeof barred): Seen {
  return { path, size, changedMs: -1, statusChangedMs: -1, inode: -1 }
}

/** Whether it is as it was looked at. */
export async function isSame({ path, size, changedMs, statusChangedMs, inode }: Seen): Promise<boolean> {
  const found = await statOf(path)
  if (typeof found === 'number') return size === found
  return (
    found.mtimeMs === changedMs &&
    found.ctimeMs === statusChangedMs &&
    found.size === size &&
    found.ino === inode
  )
}

/** What is there, or the size that stands for why nothing can be seen. */
export async function statOf(path: string): Promise<Stats | typeof missing | typeof barred> {
  try {
    return await stat(path)
  } catch (error) {
    return isMissing(error) ? missing : barred
  }
}

/** A file in the place of a folder above means the same as no folder. */
const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
