import { CloudStoreError } from '../ports/cloud-store-error.ts'

/** What went wrong, as far as what to do about it depends on it. */
export type Failure =
  /** An id or a key is taken. */
  | 'conflict'
  /** The same transaction can be made again at once: somebody else was in its way, or a statement grew old. */
  | 'again'
  /** The connection is gone, or could not be made. */
  | 'connection'
  | 'other'

/** The server only reads: a standby, or what was the primary a moment ago. */
const readOnlyCode = '25006'
// Serialization, deadlock, lock not available, a plan or a prepared statement that grew old; a row that was referred to
// and is gone: whoever looks again sees that; and a server that only reads, for the next connection may lead to another.
const againCodes = new Set(['40001', '40P01', '55P03', '0A000', '26000', '23503', readOnlyCode])
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const lostConnection =
  /connection (terminated|timeout|error|ended)|timeout (exceeded|expired)|read timeout|not queryable/i

/** What the likely failures mean, by SQLSTATE or its class. */
const reasons = new Map([
  ['28', 'the server refused the user or the password; check the connection string'],
  ['3D', 'there is no such database; create it, or check the connection string'],
  ['42501', 'this user may not do it; grant it the rights to the schema'],
  ['42P01', 'a table is missing; was the schema removed?'],
  ['53', 'the server has no room or no connection left; see max_connections and its disk'],
  ['57014', 'it took longer than statement_timeout allows'],
  [readOnlyCode, 'the server only reads: it is a standby; connect to the primary'],
])

/** The connection broke while a change was being kept: it must not be made again, for it may be there. */
export class InDoubtError extends CloudStoreError {
  constructor(cause: unknown) {
    const message =
      'Writing to Postgres failed: the connection broke at the last moment. Whether the change was kept is not known; ' +
      'look, or make it again.'
    super('DATABASE_UNAVAILABLE', message, { cause })
  }
}

/** How a failure is to be treated. */
export function classify(error: unknown): Failure {
  const code = codeOf(error)
  if (code === undefined) return isLost(error) ? 'connection' : 'other'
  if (againCodes.has(code)) return 'again'
  if (code.startsWith('23')) return 'conflict'
  if (/^(08|57P)/.test(code) || code === '25P03' || code === '53300' || unreachable.has(code))
    return 'connection'
  return 'other'
}

/** Whether the connection is of use to nobody: it is gone, or leads to a server that refuses to write. */
export function isUseless(error: unknown): boolean {
  return classify(error) === 'connection' || codeOf(error) === readOnlyCode
}

/** What a caller sees of a failure of Postgres: no text of the server's, for that may repeat what was written. */
export function toStoreError(error: unknown, attempt: string): unknown {
  if (CloudStoreError.is(error)) return error
  const failure = classify(error)
  if (failure === 'conflict') {
    const message = `${attempt} failed: an id or key is in use already. Make a new one.`
    return new CloudStoreError('CONFLICT', message, { cause: error })
  }
  if (failure === 'connection') {
    const message = `${attempt} failed: Postgres cannot be reached. Check that it runs and the connection string; it is tried again with the next call.`
    return new CloudStoreError('DATABASE_UNAVAILABLE', message, { cause: error })
  }
  const code = codeOf(error)
  if (code === undefined) return error
  const reason =
    reasons.get(code) ?? reasons.get(code.slice(0, 2)) ?? `Postgres refused (${code}); see the cause`
  return new CloudStoreError('DATABASE_UNAVAILABLE', `${attempt} failed: ${reason}.`, { cause: error })
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  // Several addresses of a host were tried.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}

function isLost(error: unknown): boolean {
  return error instanceof Error && lostConnection.test(error.message)
}
