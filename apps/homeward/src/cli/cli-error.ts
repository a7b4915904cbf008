import { ClientError } from '@homeward/contract/client'
import { explainError } from '../terminal/explain-error.ts'
import { exitCodes } from './exit-codes.ts'
import { cleanText } from '../terminal/clean-text.ts'

/** A failure with an exit code of its own. The message is printed as it is; an empty one is not. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** What a command prints when it fails, and the code that it exits with. */
export interface Failure {
  readonly message: string
  readonly exitCode: number
}

const unreachableCodes = new Set(['UNREACHABLE', 'TIMEOUT', 'REDIRECTED'])

/** Turns any error into words without a stack, and an exit code. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return { message: error.message, exitCode: error.exitCode }
  if (!ClientError.is(error)) return { message: explainError(error), exitCode: exitCodes.failed }
  if (unreachableCodes.has(error.code)) {
    const fix = 'Start the server with "homeward start", or name another one with --url.'
    return { message: `${error.message} ${fix}`, exitCode: exitCodes.unreachable }
  }
  if (error.status === 401) {
    const fix = 'Pass an access token with --token, or set API_TOKEN.'
    return { message: `${error.message} ${fix}`, exitCode: exitCodes.denied }
  }
  // the server's own sentence says more than the name of the operation
  const message = cleanText(error.detail ?? error.message)
  return { message, exitCode: error.status === 403 ? exitCodes.denied : exitCodes.failed }
}
