import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { maxFileBytes, maxFiles } from '@homeward/contract/agent-platform'
import mime from 'mime'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { cleanLine } from '../../terminal/clean-text.ts'
import { toAbsolutePath } from './parse-paths.ts'

/** A file that is sent with a message. */
export interface LoadedFile {
  readonly name: string
  readonly media_type: string
  /** Base64. */
  readonly data: string
}

/** Most bytes of all files of a message: as base64 they fit into a request of 32 MiB. */
const maxTotalBytes = 23 * 1024 * 1024

/**
 * Reads a file that belongs to a message.
 *
 * @throws {CliError} if the file cannot be read, is not a regular file, or is larger than 20 MiB.
 */
export async function loadFile(path: string, folder?: string): Promise<LoadedFile> {
  const absolute = toAbsolutePath(path, folder)
  const name = basename(absolute)
  const attempt = `Reading the file ${cleanLine(path)} failed`
  const problem = (reason: string) => new CliError(`${attempt}: ${reason}`, exitCodes.usage)
  try {
    // before it is opened: opening a pipe waits for its other end
    if (!(await stat(absolute)).isFile()) throw problem('it is not a regular file. Pass a file.')
    await using file = await open(absolute, 'r')
    const { size } = await file.stat()
    if (size > maxFileBytes) throw problem('it is larger than 20 MiB. Send a smaller file.')
    const bytes = await file.readFile()
    if (bytes.length > maxFileBytes) throw problem('it is larger than 20 MiB. Send a smaller file.')
    if (bytes.length === 0) throw problem('it is empty. Pass a file with content.')
    return { name, media_type: toMediaType(name, bytes), data: bytes.toString('base64') }
  } catch (error) {
    if (error instanceof CliError) throw error
    throw problem(reasonOf(error))
  }
}

/**
 * Reads the files of one message.
 *
 * @throws {CliError} as {@link loadFile} does, and if there are more than 20 files or more than 23 MiB in all.
 */
export async function loadFiles(paths: readonly string[], folder?: string): Promise<readonly LoadedFile[]> {
  const files: LoadedFile[] = []
  for (const path of paths) {
    files.push(await loadFile(path, folder))
    checkFiles(files)
  }
  return files
}

/** @throws {CliError} if a message cannot have these files together */
export function checkFiles(files: readonly LoadedFile[]): void {
  const attempt = 'Attaching files failed'
  if (files.length > maxFiles) {
    throw new CliError(`${attempt}: a message has at most ${maxFiles} files. Send fewer.`, exitCodes.usage)
  }
  const total = files.reduce((sum, { data }) => sum + Math.floor((data.length * 3) / 4), 0)
  if (total > maxTotalBytes) {
    throw new CliError(
      `${attempt}: the files of a message must have at most 23 MiB in total. Send fewer or smaller files.`,
      exitCodes.usage,
    )
  }
}

/** By the name; otherwise text is told from bytes. */
function toMediaType(name: string, bytes: Buffer): string {
  const known = mime.getType(name)
  // TypeScript's ending also belongs to a video format
  if (known !== null && !(known.startsWith('video/mp2t') && isText(bytes))) return known
  return isText(bytes) ? 'text/plain' : 'application/octet-stream'
}

function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')
  } catch {
    return false
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist. Check the path; put paths with spaces in quotes.',
  EACCES: 'access is denied. Change its permissions, or name another file.',
  EPERM: 'access is denied. Change its permissions, or name another file.',
  EISDIR: 'it is a folder. Name a file.',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `the system reports ${code || 'an error'}. Name another file.`
}
