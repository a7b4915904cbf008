import { randomUUID } from 'node:crypto'
import { chmod, chown, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Replaces what a file holds. Who reads it meanwhile, or behind a crash or a full disk, finds the old text or the new one,
 * whole. Its owner stays, its mode unless another is given, and the link that leads to it. Callers take turns.
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const before = await stat(target).catch(() => undefined)
  const wanted = mode ?? before?.mode
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`)
  try {
    // A single write call stores what there is room for and reports no error: this one writes all of it, or fails.
    await writeFile(temporary, text, { mode: wanted ?? 0o666, flush: true })
    if (before) await chown(temporary, before.uid, before.gid).catch(ignoreDenied)
    if (wanted !== undefined) await chmod(temporary, wanted).catch(ignoreDenied) // the process's mask took from it
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** Only root gives files away, and some file systems know no owners or modes. */
function ignoreDenied(error: NodeJS.ErrnoException): void {
  if (!['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'].includes(error.code ?? '')) throw error
}
