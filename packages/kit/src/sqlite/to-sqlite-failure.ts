import { SqlFailure } from '../sql/sql-failure.ts'

const constraintCode = 19
/** A row that is referred to is not there. Writes come one by one: the plan did not look for it. */
const missingParentCode = 787
const busyCode = 5
const lockedCode = 6
const held = { reason: 'another process has locked the database. Try again later', retryable: true }
/** What the likely failures mean, by SQLite's code, and whether they pass without anybody's doing. */
const causes = new Map<number, { readonly reason: string; readonly retryable: boolean }>([
  [busyCode, held],
  [lockedCode, held],
  [8, { reason: 'the file is not writable. Check its mode and owner', retryable: false }],
  [11, { reason: 'the database is damaged. Restore a backup', retryable: false }],
  [13, { reason: 'the disk is full. Free some space', retryable: true }],
  [14, { reason: 'the file cannot be opened. Check the path, its mode and owner', retryable: false }],
  [26, { reason: 'the file is not a database. Check the path', retryable: false }],
])
const unknown = { reason: 'SQLite reported an error. See "cause"', retryable: false }

/** Converts an error of SQLite or the file system to a {@link SqlFailure}. Other errors are returned unchanged. */
export function toSqliteFailure(error: unknown, attempt: string): unknown {
  if (!(error instanceof Error) || SqlFailure.is(error)) return error
  const code = primaryCode(error)
  if ('errcode' in error && error.errcode === missingParentCode) {
    const message = `${attempt} failed: a row that the change refers to no longer exists. Reload the data and try again.`
    return new SqlFailure('unavailable', message, { cause: error })
  }
  if (code === constraintCode) {
    const message = `${attempt} failed: an id or key is already in use. Create a new one.`
    return new SqlFailure('conflict', message, { cause: error })
  }
  if (code !== undefined) {
    const { reason, retryable } = causes.get(code) ?? unknown
    return new SqlFailure('unavailable', `${attempt} failed: ${reason}.`, { cause: error, retryable })
  }
  if (!('syscall' in error)) return error
  const message = `${attempt} failed: the operating system rejected the path. Check the path, its mode and owner.`
  return new SqlFailure('unavailable', message, { cause: error })
}

/** Whether something failed only because another process holds the database. */
export function isHeldByAnother(error: unknown): boolean {
  const code = error instanceof Error ? primaryCode(error) : undefined
  return code === busyCode || code === lockedCode
}

/** SQLite's own result code; the higher bits only say more about it. */
function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}
