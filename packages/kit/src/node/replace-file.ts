import { randomUUID } from 'node:crypto'
import { chmod, chown, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Options of {@link replaceFile}. */
export interface ReplaceFileOptions {
  /** Mode of the file. @default the mode of the old file; for a new file 0o666 minus the umask */
  readonly mode?: number
  /** Prefix of the temporary file's name in the same folder. A crash can leave this file behind. @default "." */
  readonly temporaryPrefix?: string
}

/**
 * Replaces the text of a file atomically.
 *
 * A reader finds either the old or the new text, also after a crash or with a full disk. The file's owner and a
 * symbolic link to the file stay. Concurrent calls run one after the other.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode, temporaryPrefix = '.' }: ReplaceFileOptions = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const before = await stat(target).catch(() => undefined)
  const wanted = mode ?? before?.mode
  const temporary = join(dirname(target), `${temporaryPrefix}${basename(target)}~${randomUUID()}`)
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
