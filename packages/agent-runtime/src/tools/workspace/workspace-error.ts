import type { Stats } from 'node:fs'
import { RuntimeError } from '../../ports/runtime-error.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the workspace has no such file or folder',
  ENOTDIR: 'the path contains a link, or a file in place of a folder',
  ELOOP: 'it is a link, or it was changed while it was opened',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  EACCES: 'the operating system denied access',
  EPERM: 'the operating system denied access',
  ENAMETOOLONG: 'the path is too long',
  ENOSPC: 'the disk is full',
  ENXIO: 'it is not a regular file',
  EMFILE: 'too many files are open',
}

/** Turns a failure of the file system into one that a model may read: no path of the host in it. */
export function toWorkspaceError(purpose: string, path: string): (error: unknown) => never {
  return (error) => {
    if (RuntimeError.is(error)) throw error
    const { code, problem } = (typeof error === 'object' && error !== null ? error : {}) as Partial<
      Record<'code' | 'problem', unknown> // looked at, not trusted
    >
    const reason = typeof problem === 'string' ? problem : reasons[String(code)]
    throw refused(purpose, path, reason ?? 'the file system reported an error', error)
  }
}

/** The error of a tool that a path was refused to. */
export function refused(purpose: string, path: string, reason: string, cause?: unknown): RuntimeError {
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path)
  const text = `${purpose} ${shown} failed: ${reason}.`
  return new RuntimeError('validation_error', text, cause === undefined ? {} : { cause })
}

/** Why an entry is no file to read or write; undefined for one that is. */
export function fileProblem(found: Stats): string | undefined {
  if (found.isSymbolicLink()) return 'it is a link'
  if (found.isDirectory()) return 'it is a folder'
  if (!found.isFile()) return 'it is not a regular file'
  // a second name may lie outside, where nobody checked who may read it
  if (found.nlink > 1) return 'it is a hard link'
  return undefined
}
