import { sleep, untilAborted } from '@homeward/kit'
import { reasonOf } from '../ports/reason-of.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RunsContext } from './runs-options.ts'

/** Longest that a function of the app may take, in milliseconds. */
const maxAskMs = 30_000

/**
 * Asks a function of the app about a run. The message of an error that it throws may hold anything, such as the address of a
 * database, so callers do not get it: the log has it. A `RuntimeError` is meant for them.
 *
 * @param attempt what an error begins with, such as `Building the context of a run`
 * @param name of the function
 * @throws {RuntimeError} `run_error` if the function fails or takes too long; a `RuntimeError` of its own; the signal's reason
 */
export async function askApp<Answer>(
  { redactor, logger }: Pick<RunsContext, 'redactor' | 'logger'>,
  attempt: string,
  name: string,
  ask: (signal: AbortSignal) => Answer | Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const over = new AbortController()
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const done = new AbortController()
  void sleep(maxAskMs, done.signal).then(() => over.abort(tookTooLong(attempt, name)))
  try {
    return await untilAborted((async () => ask(both))(), both)
  } catch (cause) {
    if (both.aborted) throw both.reason
    if (RuntimeError.is(cause)) throw cause
    const redact = await redactor()
    const error = redact.text(reasonOf(cause)).slice(0, 500)
    logger.error('Calling a function of the app failed', { function: name, error })
    const message = `${attempt} failed: ${name} threw an error. See the server log for details.`
    throw new RuntimeError('run_error', message, { cause })
  } finally {
    done.abort()
  }
}

const tookTooLong = (attempt: string, name: string) =>
  new RuntimeError(
    'run_error',
    `${attempt} failed: ${name} must finish within ${maxAskMs / 1000} s. Make the function faster.`,
  )
