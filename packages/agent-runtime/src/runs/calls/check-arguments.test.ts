import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { createArgumentChecks } from './check-arguments.ts'
import { toolOf } from '../testing/run-kit.ts'

const checks = createArgumentChecks()
const check = (parameters: JsonObject, args: JsonObject) =>
  checks.check(
    toolOf('t', () => 1, { inputSchema: parameters }),
    args,
    new AbortController().signal,
  )

describe('checking arguments', () => {
  it('takes null for an optional argument as absent', async () => {
    const schema = {
      properties: { query: { type: 'string' }, limit: { type: 'integer' } },
      required: ['query'],
    }
    expect(await check(schema, { query: 'x', limit: null })).toEqual({ outcome: 'valid' })
    expect(await check(schema, { query: null })).toMatchObject({ outcome: 'invalid' })
  })

  it('says how to pass a number that would be rounded', async () => {
    expect(
      await check({ properties: { id: { type: 'integer' } } }, { id: '2512292042121000001' }),
    ).toMatchObject({
      outcome: 'invalid',
      problem: expect.stringContaining('Pass such a number as a string'),
    })
  })

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['types', { properties: { a: { type: 'integer' } } }, { a: 1 }, { a: 1.5 }],
    ['what is required', { required: ['a'] }, { a: null }, {}],
    ['what is not foreseen', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
    ['enumerations', { properties: { a: { enum: ['x'] } } }, { a: 'x' }, { a: 'y' }],
    ['formats', { properties: { a: { format: 'email' } } }, { a: 'a@b.de' }, { a: 'nobody' }],
    ['conditions', { if: { required: ['a'] }, else: { required: ['b'] } }, { b: 1 }, {}],
    [
      'references',
      { definitions: { n: { type: 'number' } }, properties: { a: { $ref: '#/definitions/n' } } },
      { a: 1 },
      { a: 'x' },
    ],
    [
      'the newer dialect',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        properties: { a: { prefixItems: [{ type: 'number' }] } },
      },
      { a: [1] },
      { a: ['x'] },
    ],
    [
      'an older dialect',
      { $schema: 'http://json-schema.org/draft-04/schema#', required: ['a'] },
      { a: 1 },
      {},
    ],
  ])('heeds %s', async (_, schema, good, bad) => {
    const parameters = { type: 'object', ...schema }
    expect(await check(parameters, good)).toEqual({ outcome: 'valid' })
    expect(await check(parameters, bad)).toMatchObject({
      outcome: 'invalid',
      problem: expect.stringMatching(/\w/),
    })
  })

  it('neither converts nor fills in anything', async () => {
    const args = { a: '1' }
    const parameters = { type: 'object', properties: { a: { type: 'string' }, b: { default: 2 } } }
    await check(parameters, args)
    expect(args).toEqual({ a: '1' })
    expect(await check({ properties: { a: { type: 'number' } } }, args)).toMatchObject({ outcome: 'invalid' })
  })

  it('tells at most five problems', async () => {
    const required = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    expect(await check({ required }, {})).toMatchObject({ problem: expect.stringContaining('and 2 more') })
  })

  it.each<[string, JsonObject]>([
    ['refers to another place', { $ref: 'https://elsewhere.example/s' }],
    ['is asynchronous', { $async: true }],
    ['has a pattern that is none', { properties: { a: { pattern: '(' } } }],
    ['has a type that is none', { properties: { a: { type: 'date' } } }],
  ])('leaves out what cannot be checked of a schema that %s', async (_, parameters) => {
    expect(await check(parameters, { a: 'x' })).toEqual({ outcome: 'valid' })
  })

  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, depth) => {
      const next = { $ref: `#/definitions/d${depth + 1}` }
      return [`d${depth}`, { allOf: [next, next] }]
    }),
  )
  it.each<[string, JsonObject, JsonObject]>([
    [
      'has a pattern that tries every way',
      { properties: { a: { pattern: '^(a+)+$' } } },
      { a: `${'a'.repeat(40)}!` },
    ],
    [
      'refers to itself more and more often',
      { definitions: { ...doubling, d40: { type: 'object' } }, $ref: '#/definitions/d0' },
      { a: 'x' },
    ],
  ])('gives up checking against a schema that %s, and goes on with others', async (_, parameters, args) => {
    expect(await check(parameters, args)).toMatchObject({
      outcome: 'invalid',
      problem: expect.stringContaining('could not be checked'),
    })
    expect(await check({ properties: { a: { pattern: '^a+$' } } }, { a: 'aa' })).toEqual({ outcome: 'valid' })
  })

  it('looks at a schema once, and lets two schemas have the same name', async () => {
    const schema: JsonObject = { $id: 'tool', type: 'object', required: ['a'] }
    let looks = 0
    const counted = Object.defineProperty({ ...schema }, 'toJSON', { value: () => ((looks += 1), schema) })
    expect(await check(counted, {})).toMatchObject({ outcome: 'invalid' })
    const once = looks
    expect(await check(counted, {})).toMatchObject({ outcome: 'invalid' })
    expect([once > 0, looks]).toEqual([true, once])
    expect(await check({ ...schema, required: ['b'] }, { b: 1 })).toEqual({ outcome: 'valid' })
  })

  it('knows ordinary names that objects have anyway', async () => {
    expect(await check({ required: ['constructor'] }, {})).toMatchObject({ outcome: 'invalid' })
    const args = JSON.parse('{"__proto__": {"a": 1}}') as JsonObject
    expect(await check({ properties: {}, additionalProperties: false }, args)).toMatchObject({
      outcome: 'invalid',
    })
  })
})
