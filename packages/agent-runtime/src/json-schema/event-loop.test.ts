import { setImmediate } from 'node:timers/promises'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSchemaCompiler } from './schema-compiler.ts'
import { createSchemaCheck } from './schema-problem.ts'

/** The most time of the processor that this thread spent between two turns of its event loop, in milliseconds. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  const working = work().finally(() => (isDone = true))
  let longest = 0
  while (!isDone) {
    const before = process.threadCpuUsage()
    await setImmediate()
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
  }
  await working
  return longest
}

const long = 'a'.repeat(30_000)
/** Schemas that are small and take minutes, or large and take seconds, with a value for each. */
const hostile: readonly [JsonObject, Json][] = [
  [{ pattern: '^(a+)+$' }, `${long}!`],
  [{ pattern: '^(a|a?)+$' }, `${long}!`],
  [{ pattern: '(?<=a*a*a*)b' }, long],
  [{ pattern: '^(.*a){12}$' }, long],
  [{ patternProperties: { '(x+x+)+y': {} } }, { ['x'.repeat(40)]: 1 }],
  [{ format: 'url' }, `http://a${':'.repeat(300_000)}!`],
  [{ uniqueItems: true }, Array.from({ length: 20_000 }, (_, id) => ({ id, text: 'same' }))],
  [{ allOf: Array.from({ length: 4000 }, () => ({ minLength: 1 })) }, ''],
  [
    {
      $ref: '#/$defs/n0',
      $defs: Object.fromEntries([
        ...Array.from({ length: 26 }, (_, index) => {
          const next = { $ref: `#/$defs/n${index + 1}` }
          return [`n${index}`, { allOf: [next, next] }]
        }),
        ['n26', { type: 'string' }],
      ]),
    },
    1,
  ],
]

it('compiles and checks no schema for longer than 100 ms at a time, also when many come at once', async () => {
  const warm = createSchemaCompiler()
  await (await warm.compile({ type: 'string' })).check('loads the compiler')
  await createSchemaCheck()({ type: 'string' })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...hostile), { minLength: 1, maxLength: 4 }),
      async (chosen) => {
        const compiler = createSchemaCompiler()
        const schemaProblem = createSchemaCheck()
        const longest = await longestTurnMs(() =>
          Promise.all(
            chosen.map(async ([schema, value]) => {
              await schemaProblem(schema)
              return (await compiler.compile(schema)).check(value)
            }),
          ),
        )
        expect(longest).toBeLessThan(100)
      },
    ),
    { numRuns: 6 },
  )
})

it('spreads what comes at once over turns of the event loop', async () => {
  const compiler = createSchemaCompiler()
  const schemas = Array.from({ length: 40 }, (_, index) => {
    const rules = Array.from({ length: 60 }, (_rule, at) => ({ minLength: at, maxLength: index + at }))
    return { type: 'string', anyOf: rules }
  })
  let turns = 0
  let isDone = false
  const work = Promise.all(schemas.map((schema) => compiler.compile(schema))).finally(() => (isDone = true))
  for (; !isDone; turns += 1) await setImmediate()
  await work
  expect(turns).toBeGreaterThan(4)
})

it('checks an ordinary value after a costly one has used up its time', async () => {
  const compiler = createSchemaCompiler()
  const costly = await compiler.compile({ pattern: '^(a+)+$' })
  expect(await costly.check(`${long}!`)).toEqual({ unknown: expect.stringContaining('1000 ms') })
  expect(await costly.check('aaa')).toEqual([])
  expect(await costly.check('b')).toMatchObject([{ keyword: 'pattern' }])
})
