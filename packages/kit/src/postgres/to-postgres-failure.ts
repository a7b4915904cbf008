import { SqlFailure } from '../sql/sql-failure.ts'

/** Class of a failure, which decides how the caller handles it. */
export type FailureClass =
  /** An id or a key is taken. */
  | 'conflict'
  /** The same transaction can be made again at once: somebody else was in its way, or a statement grew old. */
  | 'again'
  /** The connection is gone, or could not be made. */
  | 'connection'
  | 'other'

/** The server only reads: a standby, or what was the primary a moment ago. The next connection may lead to another. */
const readOnlyCode = '25006'
/**
 * A row that is referred to is not there. It was when the plan looked for it, or the plan would have said so, and
 * somebody else has removed it since: a plan that starts again sees that. It is not a conflict, which callers take for
 * "what I wanted to write is there already".
 */
const missingParentCode = '23503'
// Serialization, deadlock, lock not available, a plan or a prepared statement that grew old.
const againCodes = new Set(['40001', '40P01', '55P03', '0A000', '26000', missingParentCode, readOnlyCode])
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
  [missingParentCode, 'a row that the change refers to no longer exists. Reload the data and try again'],
  ['28', 'the server rejected the user or the password. Check the connection string'],
  ['3D', 'the database does not exist. Create it, or check the connection string'],
  ['42501', 'the user lacks rights to the schema. Grant them'],
  ['42P01', 'a table is missing. Check that nobody removed the schema'],
  ['53', 'the server has no disk space or connection left. Check its disk and max_connections'],
  [
    '57014',
    'the statement took longer than statement_timeout. Try again, or raise the option "statementTimeoutMs"',
  ],
  [readOnlyCode, 'the server is a read-only standby. Connect to the primary'],
])

/** What codes of Postgres and of the system look like. Others belong to an error that a plan itself threw. */
const ownCode = /^[0-9A-Z_]+$/

/** Classifies an error: what happened, and whether a retry is safe. */
export function classify(error: unknown): FailureClass {
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

/** Whether a change may have been made although its call failed. */
export function isInDoubt(error: unknown): boolean {
  return SqlFailure.is(error) && error.kind === 'in-doubt'
}

/**
 * Creates the failure for a connection that broke during a commit. The change may be stored, so it must not be
 * repeated.
 */
export function toInDoubtFailure(cause: unknown): SqlFailure {
  const message =
    'Writing to Postgres failed: the connection broke during the commit, so the change may or may not be stored. ' +
    'Check whether it is stored before you retry.'
  return new SqlFailure('in-doubt', message, { cause, retryable: true })
}

/**
 * Converts an error of Postgres to a {@link SqlFailure}. Other errors are returned unchanged.
 *
 * The message contains no text of the server, because that text may quote stored data.
 */
export function toPostgresFailure(error: unknown, attempt: string): unknown {
  if (SqlFailure.is(error)) return error
  const failure = classify(error)
  if (failure === 'conflict') {
    const message = `${attempt} failed: an id or key is already in use. Create a new one.`
    return new SqlFailure('conflict', message, { cause: error })
  }
  if (failure === 'connection') {
    const message = `${attempt} failed: Postgres cannot be reached. Check that it is running, and check the connection string. The next call connects again.`
    return new SqlFailure('unavailable', message, { cause: error, retryable: true })
  }
  const code = codeOf(error)
  if (code === undefined) return error
  const reason =
    reasons.get(code) ?? reasons.get(code.slice(0, 2)) ?? `Postgres reported error ${code}. See "cause"`
  const retryable = failure === 'again' || code.startsWith('53') || code === '57014'
  return new SqlFailure('unavailable', `${attempt} failed: ${reason}.`, { cause: error, retryable })
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string')
    return ownCode.test(error.code) ? error.code : undefined
  // Several addresses of a host were tried.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}

function isLost(error: unknown): boolean {
  return error instanceof Error && lostConnection.test(error.message)
}
