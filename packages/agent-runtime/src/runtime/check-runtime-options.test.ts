import { expect, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { createRuntime, type RuntimeOptions, type Tool } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { checkRuntimeOptions } from './check-runtime-options.ts'

const missing = Number(undefined)
const tool: Tool = {
  id: 'look_up',
  description: 'Looks something up.',
  inputSchema: { type: 'object' },
  effects: 'read',
  idempotent: true,
  returnsUntrustedContent: false,
  execute: async () => null,
}
const refusal = (name: string) =>
  expect.objectContaining({
    code: 'validation_error',
    message: expect.stringMatching(
      new RegExp(`failed: "?${name.replaceAll(/[.[\]]/g, String.raw`\$&`)}"? must be`),
    ),
  })

it.each<[name: string, wrong: RuntimeOptions]>([
  ['maxResultBytes', { maxResultBytes: missing }],
  ['maxResultBytes', { maxResultBytes: '1 MB' as never }],
  ['maxAgentDepth', { maxAgentDepth: 1.5 }],
  ['historyTokens', { historyTokens: -1 }],
  ['leaseMs', { leaseMs: 0 }],
  // setTimeout would fire at once
  ['closeGraceMs', { closeGraceMs: Infinity }],
  ['closeGraceMs', { closeGraceMs: 2 ** 31 }],
  ['workers.concurrency', { workers: { concurrency: missing } }],
  ['workers.perAgent', { workers: { perAgent: 0 } }],
  ['retry.attempts', { retry: { attempts: Infinity } }],
  ['retry.maxMs', { retry: { maxMs: missing } }],
  ['retention.journalMs', { retention: { journalMs: missing } }],
  // prlimit would not know it, and programs would run without
  ['execLimits.memoryBytes', { execLimits: { memoryBytes: Infinity } }],
  ['workspaceLimits.maxBytes', { workspaceLimits: { maxBytes: missing } }],
  ['sandbox', { sandbox: 'required' as never }],
  ['timezone', { timezone: 'Mars/Olympus' }],
  ['tools', { tools: tool as never }],
  ['tools[0].id', { tools: [{ ...tool, id: '' }] }],
  ['tools[0].inputSchema', { tools: [{ ...tool, inputSchema: undefined as never }] }],
  ['tools[0].inputSchema', { tools: [{ ...tool, inputSchema: null as never }] }],
  ['tools[0].inputSchema', { tools: [{ ...tool, inputSchema: z.object({}) as never }] }],
  ['tools[0].inputSchema', { tools: [{ ...tool, inputSchema: mini.object({}) as never }] }],
  ['tools[0].execute', { tools: [{ ...tool, execute: undefined as never }] }],
  // a call of it would not be asked about
  ['tools[1].effects', { tools: [tool, { ...tool, effects: 'extern' as never }] }],
  ['tools[0].idempotent', { tools: [{ ...tool, idempotent: 'never' as never }] }],
  // neither a read nor external: a call of it would not be asked about either
  ['tools[0].effects', { tools: [{ ...tool, effects: undefined as never }] }],
  ['tools[0].idempotent', { tools: [{ ...tool, idempotent: null as never }] }],
  ['tools[0].returnsUntrustedContent', { tools: [{ ...tool, returnsUntrustedContent: undefined as never }] }],
  ['tools[0].description', { tools: [{ ...tool, description: undefined as never }] }],
  ['tools[0].id', { tools: [undefined as never] }],
  ['home', { home: 5 as never }],
  ['home', { home: '' }],
  ['seedFolder', { seedFolder: 5 as never }],
  ['schedules', { schedules: 'false' as never }],
  ['compaction', { compaction: 'false' as never }],
  ['fetch', { fetch: {} as never }],
  ['platformOrigins', { platformOrigins: ['http://127.0.0.1:3010'] as never }],
  ['estimateTokens', { estimateTokens: 4 as never }],
  ['resolveHost', { resolveHost: {} as never }],
  ['now', { now: 5 as never }],
  ['createId', { createId: 'a' as never }],
  ['random', { random: 0.5 as never }],
  ['store', { store: null as never }],
  ['store', { store: Promise.resolve({}) as never }],
  ['queue', { queue: {} as never }],
  ['logger', { logger: {} as never }],
  ['models', { models: null as never }],
  ['tools', { tools: null as never }],
  ['mcpServers', { mcpServers: [] as never }],
  ['environment', { environment: null as never }],
  ['embeddingModel', { embeddingModel: {} as never }],
  ['prices', { prices: 5 as never }],
  // a budget in money would never be used up, or always be
  ['prices.test/echo.inputPerMillion', { prices: { 'test/echo': { input: 1 } as never } }],
  [
    'prices.test/echo.outputPerMillion',
    { prices: { 'test/echo': { inputPerMillion: 0, outputPerMillion: missing } } },
  ],
  [
    'prices.test/echo.inputPerMillion',
    { prices: { 'test/echo': { inputPerMillion: -1, outputPerMillion: 0 } } },
  ],
  [
    'prices.test/echo.inputPerMillion',
    { prices: { 'test/echo': { inputPerMillion: '1' as never, outputPerMillion: 0 } } },
  ],
  [
    'prices.test/echo.outputPerMillion',
    { prices: { 'test/echo': { inputPerMillion: 0, outputPerMillion: Infinity } } },
  ],
  ['prices.test/echo.inputPerMillion', { prices: { 'test/echo': null as never } }],
  [
    'prices.test/echo.cacheWritePerMillion',
    { prices: { 'test/echo': { inputPerMillion: 1, outputPerMillion: 0, cacheWritePerMillion: -1 } } },
  ],
  ['models.local', { models: { local: {} as never } }],
  ['toolSources', { toolSources: [tool as never] }],
  ['channels', { channels: [undefined as never] }],
  ['workers', { workers: 5 as never }],
  ['the options', null as never],
])('names the option %s of a runtime when it cannot be used', (name, wrong) => {
  expect(() => createRuntime(wrong)).toThrow(refusal(name))
})

it.each<[problem: string, wrong: RuntimeOptions]>([
  ['two tools have the id "look_up". Rename one of them', { tools: [tool, tool] }],
  ['"time" is the id of a built-in tool. Give your tool another id', { tools: [{ ...tool, id: 'time' }] }],
  ['"maxResultBytes" must be an integer of at least 1, got 0', { maxResultBytes: 0 }],
  ['"historyTokens" must be a number of at least 0, got -1', { historyTokens: -1 }],
  ['"leaseMs" must be a number of milliseconds between 100 and 2147483647, got 99', { leaseMs: 99 }],
  ['"tools[0].effects" must be one of read, write, external', { tools: [{ ...tool, effects: '' as never }] }],
  ['"tools[0].idempotent" must be true or false', { tools: [{ ...tool, idempotent: '' as never }] }],
  ['"mcpServers.a" must be an object', { mcpServers: { a: 'npx' as never } }],
  ['"mcpServers.a" must have either "command" or "url"', { mcpServers: { a: {} as never } }],
  [
    '"mcpServers.a" must have either "command" or "url"',
    { mcpServers: { a: { command: 'node', url: 'https://mcp.example.com' } } },
  ],
  [
    '"mcpServers.a.command" must be the name or path of a program',
    { mcpServers: { a: { command: [] as never } } },
  ],
  ['"mcpServers.a.url" must be an http or https URL', { mcpServers: { a: { url: 'mcp.example.com' } } }],
  [
    '"mcpServers.a.args" must be a list of strings',
    { mcpServers: { a: { command: 'node', args: 'x.mjs' as never } } },
  ],
  ['"mcpServers.a.cwd" must be the path of a folder', { mcpServers: { a: { command: 'node', cwd: '' } } }],
  [
    '"mcpServers.a.env" must be an object of strings',
    { mcpServers: { a: { command: 'node', env: { A: 5 as never } } } },
  ],
  [
    '"mcpServers.a.headers" must be an object of strings',
    { mcpServers: { a: { url: 'https://mcp.example.com', headers: new Headers({ a: 'b' }) as never } } },
  ],
  [
    '"mcpServers.a.timeoutMs" must be a number of milliseconds between 1 and',
    { mcpServers: { a: { command: 'node', timeoutMs: missing } } },
  ],
  [
    '"mcpServers.a.effects" must be one of read, write, external',
    { mcpServers: { a: { command: 'node', effects: 'none' as never } } },
  ],
  [
    '"mcpServers.a.type" is unknown. Use command, args, env, cwd, timeoutMs, effects',
    { mcpServers: { a: { command: 'node', type: 'stdio' } as never } },
  ],
])('says what can be used: %s', (problem, wrong) => {
  expect(() => createRuntime(wrong)).toThrow(`Creating the runtime failed: ${problem}`)
})

it('names what it does not know in no more than a hundred characters', () => {
  const retry: object = { ['a'.repeat(5000)]: 1 }
  expect(() => createRuntime({ retry })).toThrow(`failed: "retry.${'a'.repeat(100)}" is unknown`)
})

it.each<[group: keyof RuntimeOptions, name: string, known: string]>([
  ['workers', 'concurency', 'concurrency, perAgent'],
  ['retry', 'retries', 'attempts, baseMs, maxMs'],
  [
    'retention',
    'journalDays',
    'journalMs, journalEvents, runStepsMs, runsMs, endedRuns, tasksMs, auditMs, auditEntries',
  ],
  ['execLimits', 'memoryMb', 'memoryBytes, fileBytes, processes'],
  ['workspaceLimits', 'maxMb', 'maxFileBytes, maxBytes, maxEntries'],
])('refuses in %s what it does not know: %s would bound nothing', (group, name, known) => {
  expect(() => createRuntime({ [group]: { [name]: 1 } })).toThrow(
    expect.objectContaining({
      code: 'validation_error',
      message: `Creating the runtime failed: "${group}.${name}" is unknown. Use ${known}.`,
    }),
  )
})

it('fails a run for which a source gives a tool that nothing could be decided by', async () => {
  const given = { ...tool, effects: undefined as never }
  await using runtime = createRuntime({ toolSources: [{ toolsFor: async () => [given] }] })
  await runtime.agents.create({ id: 'a', model: 'test/echo' })
  expect(await runtime.run({ agent_id: 'a', task: 'x' })).toMatchObject({
    success: false,
    error: expect.stringContaining('Getting the tools of the app failed: "tools[0].effects" must be one of'),
  })
})

it('takes the JSON Schema of a tool from zod, and checks arguments against it', async () => {
  const parameters = z.toJSONSchema(z.object({ count: z.int().default(1) }), { io: 'input' })
  await using runtime = createRuntime({ tools: [{ ...tool, inputSchema: parameters }] })
  await runtime.agents.create({ id: 'a', model: 'test/tools' })
  const run = async (args: string) =>
    (await runtime.run({ agent_id: 'a', task: `${tool.id} ${args}` })).steps[0]?.error
  expect([await run('{}'), await run('{"count":"x"}')]).toEqual([
    undefined,
    expect.stringContaining('/count'),
  ])
})

it('takes what can be used, at its ends too', async () => {
  await using runtime = createRuntime({
    maxResultBytes: 1,
    maxAgentDepth: 0,
    historyTokens: Infinity,
    leaseMs: 100,
    workers: { concurrency: 0, perAgent: 1 },
    retention: { journalMs: Infinity, runsMs: 0 },
    workspaceLimits: { maxBytes: Infinity },
    sandbox: 'require',
    timezone: 'Europe/Berlin',
  })
  expect(await runtime.agents.list()).toEqual([])
})

it.each<RuntimeOptions>([
  ...(['auto', 'require', 'off'] as const).map((sandbox) => ({ sandbox })),
  ...(['read', 'write', 'external'] as const).map((effects) => ({ tools: [{ ...tool, effects }] })),
  { tools: [{ ...tool, idempotent: false }] },
  { home: 'a', seedFolder: 'b', closeGraceMs: 2 ** 31 - 1 },
  { compaction: false, schedules: true },
  { models: { local: () => Promise.reject(new Error('no model')) }, mcpServers: {}, environment: {} },
  { prices: { 'test/echo': { inputPerMillion: 0, outputPerMillion: 1e9 } } },
  { prices: { 'test/echo': { inputPerMillion: 3, outputPerMillion: 15, cachedInputPerMillion: 0.3 } } },
  { store: createTestStore(), logger: console, toolSources: [{ toolsFor: async () => [tool] }] },
  { queue: { deliver: async () => {} } as never, embeddingModel: { doEmbed: async () => ({}) } as never },
  { channels: [{ receive: async () => ({}) } as never] },
  {
    platformOrigins: () => [],
    estimateTokens: () => 1,
    resolveHost: (_host, _options, done) => done(null, []),
  },
  { fetch, now: Date.now, createId: () => 'a', random: Math.random },
])('takes %j', (options) => {
  expect(() => checkRuntimeOptions(options)).not.toThrow()
})
