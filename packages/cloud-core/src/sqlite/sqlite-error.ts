import { CloudStoreError } from '../ports/cloud-store-error.ts'

const constraintCode = 19
const busyCode = 5
const lockedCode = 6
const causes = new Map([
  [busyCode, 'another process holds it; try again later'],
  [lockedCode, 'another process holds it; try again later'],
  [8, 'it cannot be written; check its mode and owner'],
  [11, 'it is damaged; restore it from a copy'],
  [13, 'the disk is full; make room'],
  [14, 'it cannot be opened; check the path, its mode and owner'],
  [26, 'the file is not a database; check the path'],
])

/** What a caller sees of a failure of SQLite or of the file system. Anything else passes as it is. */
export function toStoreError(error: unknown, attempt: string): unknown {
  if (!(error instanceof Error) || CloudStoreError.is(error)) return error
  const code = primaryCode(error)
  if (code === constraintCode) {
    return new CloudStoreError(
      'CONFLICT',
      `${attempt} failed: an id or key is in use already. Make a new one.`,
      {
        cause: error,
      },
    )
  }
  if (code !== undefined) {
    const reason = causes.get(code) ?? 'SQLite refused; see the cause'
    return new CloudStoreError('DATABASE_UNAVAILABLE', `${attempt} failed: ${reason}.`, { cause: error })
  }
  if (!('syscall' in error)) return error
  return new CloudStoreError(
    'DATABASE_UNAVAILABLE',
    `${attempt} failed: check the path, its mode and owner.`,
    {
      cause: error,
    },
  )
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
