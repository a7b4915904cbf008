import { bound, checkNumbers, timerFrom, wholeFrom, type NumberRules } from './check-numbers.ts'
import type { Tool, ToolEffects } from './ports/tool.ts'
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
  checkTools(options.tools)
  if (timezone !== undefined && !isTimezone(timezone)) refuse('timezone must be one such as Europe/Berlin')
}

const toolEffects: readonly ToolEffects[] = ['read', 'write', 'external']
const toolRepeats: readonly Tool['repeat'][] = ['safe', 'once']

/** What a model is offered and what approvals go by: a misspelt word would let a call pass that has to be asked for. */
function checkTools(tools: readonly Partial<Tool>[] = []): void {
  const isList: boolean = Array.isArray(tools)
  if (!isList) refuse('tools must be a list')
  for (const [place, tool] of tools.entries()) {
    const { id, parameters, call, effects = 'read', repeat = 'safe' } = tool
    if (typeof id !== 'string' || id === '') refuse(`tools[${place}].id must be a text`)
    if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
      refuse(`tools[${place}].parameters must be a JSON Schema: an object`)
    if (typeof call !== 'function') refuse(`tools[${place}].call must be a function`)
    if (!toolEffects.includes(effects))
      refuse(`tools[${place}].effects must be one of ${toolEffects.join(', ')}`)
    if (!toolRepeats.includes(repeat))
      refuse(`tools[${place}].repeat must be one of ${toolRepeats.join(', ')}`)
  }
}

function refuse(problem: string): never {
  throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}
