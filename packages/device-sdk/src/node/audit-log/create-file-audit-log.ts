import { rename, type FileHandle, open } from 'node:fs/promises'
import path from 'node:path'
import { checkNumbers } from '../../check-numbers.ts'
import { checkFolder } from '../check-folder.ts'
import { stateDisk } from '../disk/lanes.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { AuditEntry, AuditLog } from '../../ports/audit-log.ts'
import { type FolderLock, lockFolder } from '../outbox/folder-lock.ts'
import { syncFolder } from '../outbox/sync-folder.ts'

/** Options of {@link createFileAuditLog}. */
export interface FileAuditLogOptions {
  /** Folder for `audit.jsonl` and its predecessor `audit.1.jsonl`. May be the outbox's folder. */
  readonly folder: string
  /** Size at which a new file is started, in bytes. @default 10485760 */
  readonly maxBytes?: number
  /** Returns the time in milliseconds. @default Date.now */
  readonly now?: () => number
}

/** An audit log in a file, which locks its folder until closed. */
export interface FileAuditLog extends AuditLog, AsyncDisposable {
  /** Waits for pending writes and closes the file. Can be called twice. A later call opens the log again. */
  close(): Promise<void>
}

/**
 * Creates an audit log in the file `audit.jsonl`, with one JSON object per line.
 *
 * A line is on disk when `append` resolves. At `maxBytes`, the file becomes `audit.1.jsonl` and replaces the previous
 * one. An incomplete line of a killed process is removed when the log is opened again. Only one process at a time may
 * use the folder, until `close()`, which the agent calls when it ends.
 *
 * `append` rejects with `STATE_UNAVAILABLE` if another process uses the folder, or the disk fails or does not respond
 * within 10 seconds.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if `folder` is missing or `maxBytes` is not a number.
 * @example
 * const audit = createFileAuditLog({ folder: '/var/lib/my-agent' })
 */
export function createFileAuditLog(options: FileAuditLogOptions): FileAuditLog {
  checkFolder('Creating the audit log', options)
  const { folder, maxBytes } = options
  checkNumbers('Creating the audit log', { maxBytes })
  let log: OpenLog | undefined
  const inTurn = (work: () => Promise<void>): Promise<void> => stateDisk.run({ at: folder, work })
  const close = (): Promise<void> =>
    inTurn(async () => {
      const closing = log
      log = undefined
      await closing?.file.handle.close()
      await closing?.lock.release()
    })
  return {
    append: (entry) =>
      inTurn(async () => {
        try {
          log ??= await openLog(options)
          await writeLine(log, options, toLine(entry))
        } catch (error) {
          // Half a line may be there now: opening again repairs it.
          const failed = log
          log = undefined
          await failed?.file.handle.close().catch(() => undefined)
          await failed?.lock.release()
          throw toStateError(folder, error)
        }
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface OpenLog {
  readonly lock: FolderLock
  file: LogFile
}

async function openLog({ folder, now = Date.now }: FileAuditLogOptions): Promise<OpenLog> {
  const lock = await lockFolder(folder, 'audit', now)
  try {
    const file = await openLogFile(path.join(folder, 'audit.jsonl'))
    await syncFolder(folder)
    return { lock, file }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function writeLine(log: OpenLog, options: FileAuditLogOptions, line: Buffer): Promise<void> {
  const { folder, maxBytes = 10 * 1024 * 1024 } = options
  if (log.file.size > 0 && log.file.size + line.length > maxBytes) {
    const current = path.join(folder, 'audit.jsonl')
    await log.file.handle.close()
    await rename(current, path.join(folder, 'audit.1.jsonl'))
    log.file = await openLogFile(current)
    await syncFolder(folder)
  }
  const { handle, size } = log.file
  await handle.appendFile(line)
  await handle.datasync()
  log.file = { handle, size: size + line.length }
}

const maxTextLength = 4096
const cut = (value: string): string => value.slice(0, maxTextLength)

// Field by field, so that nothing else a caller's object carries reaches the disk.
function toLine({ at, action, outcome, id, subject, scope, actor, rows, bytes, reason }: AuditEntry): Buffer {
  const entry: AuditEntry = {
    at,
    action,
    outcome,
    id: cut(id),
    subject: cut(subject),
    ...(scope && { scope: scope.map(cut) }),
    ...(actor !== undefined && { actor: cut(actor) }),
    ...(rows !== undefined && { rows }),
    ...(bytes !== undefined && { bytes }),
    ...(reason !== undefined && { reason: cut(reason) }),
  }
  return Buffer.from(`${JSON.stringify(entry)}\n`)
}

function toStateError(folder: string, error: unknown): DeviceCloudError {
  if (DeviceCloudError.is(error)) return error
  const reason = error instanceof Error ? error.message : 'it failed'
  const message = `Writing the audit log in "${folder}" failed: ${reason}. Check the disk and its permissions.`
  return new DeviceCloudError('STATE_UNAVAILABLE', message, { cause: error })
}

/** A log file that ends with a whole line. */
interface LogFile {
  readonly handle: FileHandle
  readonly size: number
}

/** Opens a file of lines for appending. What a killed write left of a last line is cut off. */
async function openLogFile(file: string): Promise<LogFile> {
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
