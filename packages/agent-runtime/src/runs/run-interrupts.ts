import { RuntimeError } from '../ports/runtime-error.ts'

/**
 * Somebody else works on the run by now, or nobody can tell: it stops here at once, and nothing more is written of it.
 * Never leaves this folder.
 */
export class LostRun extends Error {
  override readonly name = 'LostRun'

  constructor(message = 'Another process has taken over the run') {
    super(message)
  }
}

/** What a run that is given back to the store stops with. */
export const runGoesOn = () =>
  new RuntimeError(
    'closed',
    'Running the agent failed: the server is shutting down. The run resumes at the next start.',
    { retryable: true },
  )

/** Whether a run that was aborted with this goes on somewhere else, or later: it has not ended. */
export const isGivenUp = (reason: unknown): boolean =>
  reason instanceof LostRun || (RuntimeError.is(reason) && reason.code === 'closed')

/** What cancels a run. */
export const cancelled = () => new RuntimeError('cancelled', 'Running the agent failed: the run was canceled')

/** @throws {RuntimeError} `closed` once the runtime is closed. */
export function assertOpen({ closing }: { readonly closing: AbortController }): void {
  if (closing.signal.aborted)
    throw new RuntimeError('closed', 'Using the runs failed: the runtime was closed. Create another one.')
}
