import { bound, checkNumbers, timerFrom, wholeFrom, type NumberRules } from './check-numbers.ts'
import { RuntimeError } from './runtime-error.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { isTimezone } from './schedules/check-schedule.ts'
import type { SandboxMode } from './tools/exec/sandbox.ts'

const attempt = 'Creating the runtime'
const sandboxModes: readonly SandboxMode[] = ['auto', 'require', 'off']
const own: NumberRules<RuntimeOptions> = {
  maxAgentDepth: wholeFrom(0),
  maxResultBytes: wholeFrom(1),
  historyTokens: bound,
  // renewed four times in each
  leaseMs: timerFrom(100),
  closeGraceMs: timerFrom(0),
}

/** @throws {RuntimeError} `validation_error` that names the option and what it must be. */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  const { sandbox, timezone } = options
  checkNumbers(attempt, options, own)
  checkNumbers(attempt, options.workers, { concurrency: wholeFrom(0), perAgent: wholeFrom(1) }, 'workers')
  const pause = timerFrom(0)
  checkNumbers(attempt, options.retry, { attempts: wholeFrom(0), baseMs: pause, maxMs: pause }, 'retry')
  const kept = { journalMs: bound, journalEvents: bound, runStepsMs: bound, runsMs: bound, tasksMs: bound }
  checkNumbers(attempt, options.retention, kept, 'retention')
  const taken = { memoryBytes: wholeFrom(1), fileBytes: wholeFrom(1), processes: wholeFrom(1) }
  checkNumbers(attempt, options.execLimits, taken, 'execLimits')
  const held = { maxFileBytes: bound, maxBytes: bound, maxEntries: bound }
  checkNumbers(attempt, options.workspaceLimits, held, 'workspaceLimits')
  if (sandbox !== undefined && !sandboxModes.includes(sandbox)) {
    refuse(`sandbox must be one of ${sandboxModes.join(', ')}`)
  }
  if (timezone !== undefined && !isTimezone(timezone)) refuse('timezone must be one such as Europe/Berlin')
}

function refuse(problem: string): never {
  throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}
