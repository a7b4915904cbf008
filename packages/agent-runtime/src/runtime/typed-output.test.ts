import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import { createRuntime } from './create-runtime.ts'

const City = z.object({
  city: z.string(),
  since: z.string().transform((text) => new Date(text)),
  size: z.int().default(1),
})
const text = '{"city":"Vienna","since":"2026-01-01"}'

function open(...texts: readonly string[]) {
  const model = createScriptedModel(texts.map((each) => ({ text: each })))
  const runtime = createRuntime({ models: { mine: () => model }, environment: {} })
  const request = { agent_id: 'a', task: 'Where?' }
  const ready = runtime.agents.create({ id: 'a', model: 'mine/m' })
  return { model, runtime, request, ready, [Symbol.asyncDispose]: () => runtime.close() }
}

const promptOf = ({ calls }: ReturnType<typeof createScriptedModel>) => JSON.stringify(calls[0]?.prompt)

describe('data of the type of a schema', () => {
  it('is what a schema of zod makes of the output: with defaults and transformations', async () => {
    await using world = open(text)
    await world.ready
    const { data, output, success } = await world.runtime.run({ ...world.request, output: City })
    expect(data).toEqual({ city: 'Vienna', since: new Date('2026-01-01'), size: 1 })
    expect([success, output]).toEqual([true, text])
    // the model writes what the schema reads
    expect(promptOf(world.model)).toContain('\\"since\\":{\\"type\\":\\"string\\"}')
    expect(promptOf(world.model)).toContain('\\"required\\":[\\"city\\",\\"since\\"]')
  })

  it('comes with the stream of a run', async () => {
    await using world = open(text)
    await world.ready
    const { events, result } = await world.runtime.stream({ ...world.request, output: City })
    const seen = await Array.fromAsync(events, ({ event }) => event)
    expect(seen.at(-1)).toBe('done')
    expect((await result).data?.since).toEqual(new Date('2026-01-01'))
  })

  it('takes the place of the schema of the agent', async () => {
    await using world = open('[1]')
    await world.ready
    await world.runtime.agents.update('a', { output_schema: { type: 'string' } })
    expect((await world.runtime.run({ ...world.request, output: zm.array(zm.number()) })).data).toEqual([1])
  })

  it('lets the model correct what makes the schema throw', async () => {
    await using world = open('{"at":"soon"}', '{"at":"2026-01-01"}')
    await world.ready
    const output = z.object({ at: z.string().transform((at) => new Date(at).toISOString()) })
    expect((await world.runtime.run({ ...world.request, output })).data).toEqual({
      at: '2026-01-01T00:00:00.000Z',
    })
    expect(JSON.stringify(world.model.calls[1]?.prompt)).toContain('could not be checked: Invalid time value')
  })

  it('ends with its run when the schema never decides', async () => {
    await using world = open('{"id":"x"}')
    await world.ready
    const asked = Promise.withResolvers<void>()
    const id = z.string().refine(() => {
      asked.resolve()
      return new Promise<boolean>(() => {})
    })
    const { runId, result } = await world.runtime.stream({ ...world.request, output: z.object({ id }) })
    await asked.promise
    await world.runtime.runs.cancel(runId)
    expect((await result).stop_reason).toBe('cancelled')
  })

  it('lets the model correct what only the schema itself can tell', async () => {
    await using world = open('{"even":1}', '{"even":2}')
    await world.ready
    const output = z.object({ even: z.int().refine((value) => value % 2 === 0, 'must be even') })
    expect((await world.runtime.run({ ...world.request, output })).data).toEqual({ even: 2 })
    expect(JSON.stringify(world.model.calls[1]?.prompt.at(-1))).toContain('/even: must be even')
  })

  it('is absent if the run failed', async () => {
    await using world = open('a', 'b', 'c')
    await world.ready
    const result = await world.runtime.run({ ...world.request, output: City })
    expect(result).toMatchObject({ success: false, code: 'output_invalid', output: 'c' })
    expect(result).not.toHaveProperty('data')
  })

  it.each([
    [
      'Valibot',
      toStandardJsonSchema(
        v.object({
          city: v.string(),
          since: v.pipe(
            v.string(),
            v.transform((at) => new Date(at)),
          ),
        }),
      ),
    ],
    ['ArkType', type({ city: 'string', since: type('string').pipe((at) => new Date(at)) })],
  ])('is what a schema of %s makes of the output', async (_, output) => {
    await using world = open('{"city":1}', text)
    await world.ready
    const { data } = await world.runtime.run({ ...world.request, output })
    expect(data).toEqual({ city: 'Vienna', since: new Date('2026-01-01') })
    expect(promptOf(world.model)).toContain('\\"since\\":{\\"type\\":\\"string\\"}')
    expect(JSON.stringify(world.model.calls[1]?.prompt.at(-1))).toContain('/city')
  })

  it('accepts any Standard Schema that gives a JSON Schema', async () => {
    await using world = open('{"a":1}')
    await world.ready
    const targets: string[] = []
    const own = {
      '~standard': {
        version: 1 as const,
        vendor: 'own',
        validate: async (value: unknown) => ({ value: [value] }),
        jsonSchema: {
          input: ({ target }: { readonly target: string }) => {
            targets.push(target)
            return { type: 'object', required: ['a'] }
          },
        },
      },
    }
    expect((await world.runtime.run({ ...world.request, output: own })).data).toEqual([{ a: 1 }])
    expect(targets).toEqual(['draft-2020-12'])
  })

  it.each([
    ['a JSON Schema', { type: 'object' }, 'must be a Standard Schema'],
    ['null', null, 'must be a Standard Schema'],
    [
      'a schema without JSON Schema',
      { '~standard': { version: 1, vendor: 'other', validate: () => ({}) } },
      'of other cannot be converted to JSON Schema',
    ],
    ['a date', z.object({ at: z.date() }), 'cannot be converted to JSON Schema: '],
  ])('rejects %s', async (_, output, problem) => {
    await using world = open()
    await world.ready
    const run = world.runtime.run({ ...world.request, output: output as never })
    await expect(run).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(problem),
    })
  })

  it('is checked once more if another process has ended the run', async () => {
    const store = createTestStore()
    const model = createScriptedModel([{ text: '{"even":1}' }])
    const runtime = createRuntime({ store, models: { mine: () => model }, environment: {} })
    await runtime.agents.create({ id: 'a', model: 'mine/m' })
    const request = { agent_id: 'a', task: 'x', idempotency_key: 'k' }
    const output_schema = z.toJSONSchema(z.object({ even: z.int() })) as never
    await runtime.run({ ...request, output_schema })
    const output = z.object({ even: z.int().refine((value) => value % 2 === 0, 'must be even') })
    const result = await runtime.run({ ...request, output })
    expect(result).toMatchObject({
      success: false,
      code: 'output_invalid',
      error: expect.stringContaining('must be even'),
    })
    expect(result).not.toHaveProperty('data')
    await runtime.close()
  })
})
