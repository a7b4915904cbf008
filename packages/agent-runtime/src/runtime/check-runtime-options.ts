import {
  aBoolean,
  aFunction,
  anObject,
  anything,
  folderPath,
  hasMethod,
  having,
  integerFrom,
  isTimezone,
  limitNumber,
  must,
  numberRule,
  oneOf,
  optionsOf,
  recordOf,
  required,
  timerFrom,
  type OptionRule,
} from '@homeward/kit'
import type { ModelPrice } from '../budgets/prices.ts'
import { checkOptions } from '../host-input/check-options.ts'
import type { RetentionOptions } from '../journal/create-retention.ts'
import type { Guards } from '../ports/guard.ts'
import type { Tool } from '../ports/tool.ts'
import { toolIdProblem, toolsProblem } from '../tools/check-tools.ts'
import type { ExecLimits } from '../tools/exec/exec-limits.ts'
import type { WorkspaceLimits } from '../tools/workspace/workspace.ts'
import { mcpServer } from './mcp-server-rule.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** @throws {RuntimeError} `validation_error` that names the option and what it must be. */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  checkOptions<RuntimeOptions>('Creating the runtime', options, {
    home: folderPath,
    store: having(
      'listAgents',
      'be a store, such as the result of createSqliteStore() or of await createPostgresStore()',
    ),
    models: recordOf(must('be a function that returns a model for an id', isFunction)),
    embeddingModel: having('doEmbed', 'be an embedding model of the AI SDK'),
    mcpServers: recordOf(mcpServer),
    contextFor: aFunction,
    tools: ownTools,
    toolSources: listWith('toolsFor', 'be a list of objects with toolsFor()'),
    toolsFor: aFunction,
    modelFor: aFunction,
    skillsFor: aFunction,
    guards,
    sandbox: oneOf(['auto', 'require', 'off']),
    execLimits: optionsOf<ExecLimits>({
      memoryBytes: integerFrom(1),
      fileBytes: integerFrom(1),
      processes: integerFrom(1),
    }),
    skillBase: anything, // read with the skill that needs it
    seedFolder: folderPath,
    platformOrigins: aFunction,
    workspaceLimits: optionsOf<WorkspaceLimits>({
      maxFileBytes: limitNumber,
      maxBytes: limitNumber,
      maxEntries: limitNumber,
    }),
    maxAgentDepth: integerFrom(0),
    maxResultBytes: integerFrom(1),
    historyTokens: limitNumber,
    compaction: aBoolean,
    retry: optionsOf<NonNullable<RuntimeOptions['retry']>>({
      attempts: integerFrom(0),
      baseMs: timerFrom(0),
      maxMs: timerFrom(0),
    }),
    prices: recordOf(price),
    workers: optionsOf<NonNullable<RuntimeOptions['workers']>>({
      concurrency: integerFrom(0),
      perAgent: integerFrom(1),
    }),
    queue: having('deliver', 'be a queue, such as the result of createGraphileQueue()'),
    schedules: aBoolean,
    channels: listWith('receive', 'be a list of channels'),
    timezone: must(
      'be an IANA time zone name, such as Europe/Berlin',
      (value) => typeof value === 'string' && isTimezone(value),
    ),
    leaseMs: timerFrom(100), // renewed four times in each
    closeGraceMs: timerFrom(0),
    minApiTokenLength: integerFrom(1),
    retention,
    estimateTokens: aFunction,
    fetch: aFunction,
    resolveHost: aFunction,
    environment: anObject,
    logger: having('warn', 'be an object with warn() and error(), such as console'),
    now: aFunction,
    createId: aFunction,
    random: aFunction,
  })
}

const isFunction = (value: unknown) => typeof value === 'function'

const listWith = (method: string, words: string) =>
  must(words, (value) => Array.isArray(value) && value.every((each) => hasMethod(each, method)))

const ownTools: OptionRule = {
  problem: (name, value) => toolsProblem(name, value) ?? toolIdProblem(value as readonly Tool[]), // which it is by now
}

/** A guard that is not called checks nothing. */
const guard = must('be a function or a list of functions', (value) => {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.length > 0 && list.every(isFunction)
})
const guards = optionsOf<Guards>({
  input: guard,
  toolCall: guard,
  toolResult: guard,
  output: guard,
  timeoutMs: timerFrom(1),
})

const retention = optionsOf<RetentionOptions>({
  journalMs: limitNumber,
  journalEvents: limitNumber,
  runStepsMs: limitNumber,
  runsMs: limitNumber,
  endedRuns: limitNumber,
  tasksMs: limitNumber,
  auditMs: limitNumber,
  auditEntries: limitNumber,
})

/** A budget in money is reckoned by prices: of a price that is no number it would never be known what is left. */
const usd = numberRule('a number of US dollars, at least 0', (value) => value >= 0 && value < Infinity)
const price = optionsOf<ModelPrice>({
  inputPerMillion: required(usd),
  outputPerMillion: required(usd),
  cachedInputPerMillion: usd,
  cacheWritePerMillion: usd,
})
