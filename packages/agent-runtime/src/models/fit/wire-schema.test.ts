import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadCpuMs } from '../../../../../tests/thread-cpu-ms.ts'
import { checkParameters } from '../../testing/providers/checks.ts'
import { toWireSchema } from './wire-schema.ts'

const fit = (schema: object) => toWireSchema(schema).schema

describe('the schema of a tool', () => {
  it('is an object with properties at the top', () => {
    expect(fit({ type: 'object' })).toEqual({ type: 'object', properties: {} })
    expect(fit({})).toEqual({ type: 'object', properties: {} })
  })

  it('has no combinators at the top, and keeps the properties of their branches', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['b'] }],
      allOf: [{ properties: { c: { type: 'boolean' } }, required: ['c'] }],
    }
    expect(fit(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, c: { type: 'boolean' }, b: { type: 'number' } },
      required: ['c'],
    })
  })

  it('names properties so that every provider accepts them, and finds the names again', () => {
    const { schema, names } = toWireSchema({
      type: 'object',
      properties: { 'StartTime<': { type: 'string' }, StartTime_: { type: 'string' } },
      required: ['StartTime<'],
    })
    expect(Object.keys(schema.properties ?? {})).toEqual(['StartTime__2', 'StartTime_'])
    expect(schema.required).toEqual(['StartTime__2'])
    expect(names.restore({ StartTime__2: 'now', list: [{ StartTime__2: 1 }] })).toEqual({
      'StartTime<': 'now',
      list: [{ 'StartTime<': 1 }],
    })
  })

  it.each([
    [{ type: 'string', pattern: String.raw`^https\:\/\/` }, { type: 'string' }],
    [{ type: 'string', pattern: '(?i)yes' }, { type: 'string' }],
    [
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    [{ type: 'any' }, {}],
    [{ type: 'string', enum: [] }, { type: 'string' }],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [{ $ref: '#/nowhere', description: 'x' }, { description: 'x' }],
    [{ type: 'array' }, { type: 'array', items: {} }],
    [{ const: 1 }, { enum: [1] }],
    [{ type: 'string', required: true }, { type: 'string' }],
  ])('keeps of %j what providers accept', (property, fitted) => {
    expect(fit({ type: 'object', properties: { p: property } }).properties).toEqual({ p: fitted })
  })

  it('follows references, also those of a schema to itself', () => {
    const schema = {
      $ref: '#/definitions/node',
      definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } },
    }
    expect(fit(schema)).toEqual({
      type: 'object',
      properties: { next: { $ref: '#/$defs/d1' } },
      $defs: { d1: { type: 'object', properties: { next: { $ref: '#/$defs/d1' } } } },
    })
  })

  it('is accepted by strict checks, whatever it was', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'required',
      'items',
      'anyOf',
      'oneOf',
      'allOf',
      'enum',
      'pattern',
      '$ref',
      'minimum',
      'exclusiveMinimum',
      'minLength',
      'additionalProperties',
      'nullable',
      'prefixItems',
      'const',
      'not',
      'format',
    )
    const { schema } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          'object',
          'array',
          'string',
          'any',
          '#',
          '#/properties',
          '[',
          3,
          -1,
          true,
          false,
          null,
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('schema'),
      ),
      schema: fc.dictionary(fc.oneof(keyword, keyword, fc.string({ maxLength: 5 })), tie('value'), {
        maxKeys: 5,
      }),
    }))
    fc.assert(
      fc.property(schema as fc.Arbitrary<object>, (given) => {
        checkParameters(fit(given) as Parameters<typeof checkParameters>[0], 'tool')
      }),
      { numRuns: 3000 },
    )
  })
})

it('folds branches that refer to themselves without delay', async () => {
  const self = { $ref: '#/$defs/a' }
  const branches = Array.from({ length: 100 }, () => self)
  const schema = {
    type: 'object',
    ...self,
    $defs: { a: { type: 'object', allOf: branches, anyOf: branches } },
  }
  const cpuMs = await threadCpuMs(() => expect(toWireSchema(schema).schema).toMatchObject({ type: 'object' }))
  expect(cpuMs).toBeLessThan(5000)
})
