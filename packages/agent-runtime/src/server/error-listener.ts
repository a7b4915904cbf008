import { safeHook } from '@homeward/contract/handler'
import type { AgentRuntime } from '../runtime/runtime.ts'

/** Who is told of failures that are not a caller's: the host's own function, or else the runtime's logger. */
export function toErrorListener({
  runtime,
  onError,
}: {
  readonly runtime: Pick<AgentRuntime, 'logger'>
  readonly onError?: (error: unknown) => void
}): (error: unknown) => void {
  return safeHook(
    onError ??
      ((error) => runtime.logger.error('Handling a request failed', { error: describeError(error) })),
  )
}

/** With the place that it came from: whoever reads it has to mend something. */
const describeError = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
