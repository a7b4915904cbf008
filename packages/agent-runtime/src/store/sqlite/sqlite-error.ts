import { RuntimeError } from '../../ports/runtime-error.ts'

const constraintCode = 19
/** What the likely failures mean, by SQLite's code, and whether they pass by themselves. */
const causes = new Map<number, { readonly reason: string; readonly retryable: boolean }>([
  [5, { reason: 'another process holds it; try again later', retryable: true }],
  [6, { reason: 'another process holds it; try again later', retryable: true }],
  [8, { reason: 'it cannot be written; check its mode and owner', retryable: false }],
  [11, { reason: 'it is damaged; restore it from a copy', retryable: false }],
  [13, { reason: 'the disk is full; make room', retryable: true }],
  [14, { reason: 'it cannot be opened; check the path, its mode and owner', retryable: false }],
  [26, { reason: 'the file is not a database; check the path', retryable: false }],
])

/** What a caller sees of a failure of SQLite or of the file system. Anything else passes as it is. */
export function toStoreError(error: unknown, attempt: string): unknown {
  if (!(error instanceof Error) || RuntimeError.is(error)) return error
  const code = primaryCode(error)
  if (code === constraintCode) {
    return new RuntimeError('conflict', `${attempt} failed: an id is in use already. Make a new one.`, {
      cause: error,
    })
  }
  if (code !== undefined) {
    const { reason, retryable } = causes.get(code) ?? {
      reason: 'SQLite refused; see the cause',
      retryable: false,
    }
    return new RuntimeError('storage_error', `${attempt} failed: ${reason}.`, { cause: error, retryable })
  }
  if (!('syscall' in error)) return error
  return new RuntimeError('storage_error', `${attempt} failed: check the path, its mode and owner.`, {
    cause: error,
  })
}

/** SQLite's own result code; the higher bits only say more about it. */
function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}
