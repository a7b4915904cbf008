import { randomUUID } from 'node:crypto'
import { chmod, chown, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** What begins like this is not whole yet; the repair of the folder removes it. */
export const incomingPrefix = '.incoming~'

/**
 * Replaces what a file holds. Who reads it meanwhile, or behind a crash or a full disk, finds the old text or the new one,
 * whole. Its owner and its mode stay, and the link that leads to it. Callers take turns.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const before = await stat(target).catch(() => undefined)
  const temporary = join(dirname(target), `${incomingPrefix}${basename(target)}~${randomUUID()}`)
  try {
    // A single write call stores what there is room for and reports no error: this one writes all of it, or fails.
    await writeFile(temporary, text, { mode: before?.mode ?? 0o666, flush: true })
    if (before) {
      await chown(temporary, before.uid, before.gid).catch(ignoreDenied)
      await chmod(temporary, before.mode).catch(ignoreDenied) // the process's mask took from it
    }
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
