import { checkOptions } from '../context/check-options.ts'
import { timerFrom, integerFrom } from '@homeward/kit'

/** How a store at another service waits for it, and how often it asks. */
interface RemoteOptions {
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly retryDelayMs?: number
}

/** @throws {TypeError} that begins with `attempt` and names the setting and what it must be. */
export function checkRemoteOptions(
  attempt: string,
  { timeoutMs, attempts, retryDelayMs }: RemoteOptions,
): void {
  const rules = { timeoutMs: timerFrom(1), attempts: integerFrom(1), retryDelayMs: timerFrom(0) }
  checkOptions(attempt, { timeoutMs, attempts, retryDelayMs }, rules)
}
