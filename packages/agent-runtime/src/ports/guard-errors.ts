import { RuntimeError } from './runtime-error.ts'

/** What of a run was checked. */
type GuardSubject = 'input' | 'output'

/** A guard did not let something pass. */
export const guardRefused = (subject: GuardSubject, reason: string) =>
  new RuntimeError('guard_refused', `Running the agent failed: a guard refused the ${subject}: ${reason}`)

/** The guard's own reason in the message of {@link guardRefused}. */
export const refusalReason = (message = ''): string | undefined =>
  /: a guard refused the (?:input|output): (.+)$/s.exec(message)?.[1]

/** Nothing passes that a guard could not check. */
export const guardFailed = (subject: GuardSubject, reason: string) =>
  new RuntimeError(
    'guard_failed',
    `Running the agent failed: the guard of the ${subject} failed: ${reason}. See the server log for details.`,
  )

/** Whether a run failed because a guard let something not pass: nothing of its turn goes into the conversation. */
export const isGuarded = (error: unknown): error is RuntimeError =>
  RuntimeError.is(error) && (error.code === 'guard_refused' || error.code === 'guard_failed')
