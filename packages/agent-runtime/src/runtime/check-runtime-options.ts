import { checkNumbers } from '../host-input/check-settings.ts'
import { limitNumber, timerFrom, integerFrom, type NumberRules } from '@homeward/kit'
import { checkFunctions } from '../host-input/check-functions.ts'
import { checkNames, type OptionNames } from '../host-input/check-names.ts'
import type { ModelPrice, Prices } from '../budgets/prices.ts'
import { checkGuards } from './check-guards.ts'
import { checkMcpServers } from './check-mcp-servers.ts'
import { checkTools, toolIdProblem } from '../tools/check-tools.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeOptions } from './runtime-options.ts'
import { isTimezone } from '@homeward/kit'
import type { SandboxMode } from '../tools/exec/sandbox.ts'

const attempt = 'Creating the runtime'
const sandboxModes: readonly SandboxMode[] = ['auto', 'require', 'off']
const own: NumberRules<RuntimeOptions> = {
  maxAgentDepth: integerFrom(0),
  maxResultBytes: integerFrom(1),
  historyTokens: limitNumber,
  // renewed four times in each
  leaseMs: timerFrom(100),
  closeGraceMs: timerFrom(0),
  minApiTokenLength: integerFrom(1),
}

const names: OptionNames<RuntimeOptions> = {
  home: true,
  store: true,
  models: true,
  embeddingModel: true,
  mcpServers: true,
  contextFor: true,
  tools: true,
  toolSources: true,
  toolsFor: true,
  modelFor: true,
  skillsFor: true,
  guards: true,
  sandbox: true,
  execLimits: true,
  skillBase: true,
  seedFolder: true,
  platformOrigins: true,
  workspaceLimits: true,
  maxAgentDepth: true,
  maxResultBytes: true,
  historyTokens: true,
  compaction: true,
  retry: true,
  prices: true,
  workers: true,
  queue: true,
  schedules: true,
  channels: true,
  timezone: true,
  leaseMs: true,
  closeGraceMs: true,
  minApiTokenLength: true,
  retention: true,
  estimateTokens: true,
  fetch: true,
  resolveHost: true,
  environment: true,
  logger: true,
  now: true,
  createId: true,
  random: true,
}

/** @throws {RuntimeError} `validation_error` that names the option and what it must be. */
export function checkRuntimeOptions(options: RuntimeOptions): void {
  checkNumbers(attempt, options, own)
  checkNames(attempt, options, names)
  const { sandbox, timezone } = options
  checkNumbers(attempt, options.workers, { concurrency: integerFrom(0), perAgent: integerFrom(1) }, 'workers')
  const pause = timerFrom(0)
  checkNumbers(attempt, options.retry, { attempts: integerFrom(0), baseMs: pause, maxMs: pause }, 'retry')
  const kept = {
    journalMs: limitNumber,
    journalEvents: limitNumber,
    runStepsMs: limitNumber,
    runsMs: limitNumber,
    endedRuns: limitNumber,
    tasksMs: limitNumber,
    auditMs: limitNumber,
    auditEntries: limitNumber,
  }
  checkNumbers(attempt, options.retention, kept, 'retention')
  const taken = { memoryBytes: integerFrom(1), fileBytes: integerFrom(1), processes: integerFrom(1) }
  checkNumbers(attempt, options.execLimits, taken, 'execLimits')
  const held = { maxFileBytes: limitNumber, maxBytes: limitNumber, maxEntries: limitNumber }
  checkNumbers(attempt, options.workspaceLimits, held, 'workspaceLimits')
  if (sandbox !== undefined && !sandboxModes.includes(sandbox)) {
    refuse(`"sandbox" must be one of ${sandboxModes.join(', ')}`)
  }
  if (options.guards !== undefined) checkGuards(attempt, options.guards)
  if (options.tools !== undefined) {
    checkTools(attempt, 'tools', options.tools)
    const problem = toolIdProblem(options.tools)
    if (problem !== undefined) refuse(problem)
  }
  checkKinds(options)
  if (timezone !== undefined && !isTimezone(timezone))
    refuse('"timezone" must be an IANA time zone name, such as Europe/Berlin')
}

type Names = readonly (keyof RuntimeOptions)[]
const texts: Names = ['home', 'seedFolder']
// `'false'`, as a variable of the environment gives it, would switch them on
const switches: Names = ['compaction', 'schedules']
const objects: Names = ['models', 'mcpServers', 'prices', 'environment']
const functions: Names = [
  'contextFor',
  'toolsFor',
  'modelFor',
  'skillsFor',
  'platformOrigins',
  'estimateTokens',
  'fetch',
  'resolveHost',
  'now',
  'createId',
  'random',
]

/** What a host without types may get wrong, and would hear of with some later call only. */
function checkKinds(options: RuntimeOptions): void {
  const given = (names: Names) => names.filter((name) => options[name] !== undefined)
  for (const name of given(texts)) {
    if (typeof options[name] !== 'string' || options[name] === '')
      refuse(`"${name}" must be the path of a folder`)
  }
  for (const name of given(switches)) {
    if (typeof options[name] !== 'boolean') refuse(`"${name}" must be true or false`)
  }
  checkFunctions(attempt, options, functions)
  for (const name of given(objects)) {
    const value: unknown = options[name]
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      refuse(`"${name}" must be an object`)
  }
  checkParts(options)
  if (options.mcpServers !== undefined) checkMcpServers(attempt, options.mcpServers)
  checkPrices(options.prices)
}

function checkParts({
  store,
  queue,
  logger,
  models = {},
  embeddingModel,
  toolSources = [],
  channels = [],
}: RuntimeOptions): void {
  if (!has(store, 'listAgents'))
    refuse(
      '"store" must be a store, such as the result of createSqliteStore() or of await createPostgresStore()',
    )
  if (!has(queue, 'deliver')) refuse('"queue" must be a queue, such as the result of createGraphileQueue()')
  if (!has(logger, 'warn')) refuse('"logger" must be an object with warn() and error(), such as console')
  if (!has(embeddingModel, 'doEmbed')) refuse('"embeddingModel" must be an embedding model of the AI SDK')
  for (const [name, provider] of Object.entries(models)) {
    if (typeof provider !== 'function')
      refuse(`"models.${name}" must be a function that returns a model for an id`)
  }
  if (!isListOf(toolSources, 'toolsFor')) refuse('"toolSources" must be a list of objects with toolsFor()')
  if (!isListOf(channels, 'receive')) refuse('"channels" must be a list of channels')
}

const priceNames = [
  'inputPerMillion',
  'outputPerMillion',
  'cachedInputPerMillion',
  'cacheWritePerMillion',
] as const

/** A budget in money is reckoned by them: of a price that is no number it would never be known what is left. */
function checkPrices(prices: Prices = {}): void {
  for (const [model, price] of Object.entries<Partial<ModelPrice> | null>(prices)) {
    for (const name of priceNames) {
      const usd = price?.[name]
      if (usd === undefined && name.startsWith('cache')) continue
      if (typeof usd !== 'number' || !(usd >= 0 && usd < Infinity))
        refuse(`"prices.${model}.${name}" must be a number of US dollars, at least 0`)
    }
  }
}

/** Whether something that may be left out has a function of that name. */
function has(part: object | null | undefined, name: string): boolean {
  if (part === undefined) return true
  return typeof (part as Readonly<Record<string, unknown>> | null)?.[name] === 'function'
}

function isListOf(list: readonly (object | null | undefined)[], name: string): boolean {
  const isList: boolean = Array.isArray(list)
  return isList && list.every((part) => part !== undefined && has(part, name))
}

function refuse(problem: string): never {
  throw new RuntimeError('validation_error', `${attempt} failed: ${problem}.`)
}
