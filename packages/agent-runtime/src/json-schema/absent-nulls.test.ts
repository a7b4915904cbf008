import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { withoutAbsentNulls } from './absent-nulls.ts'
import { createSchemaCompiler } from './schema-compiler.ts'

const text = { type: 'string' }
it.each<[string, JsonObject, Json, Json]>([
  ['an optional property', { properties: { a: text, b: text } }, { a: 'x', b: null }, { a: 'x' }],
  [
    'a property of an item',
    { properties: { l: { items: { properties: { a: text } } } } },
    { l: [{ a: null }] },
    { l: [{}] },
  ],
  ['behind a reference', { $ref: '#/$defs/x', $defs: { x: { properties: { a: text } } } }, { a: null }, {}],
  [
    'in one of several',
    { anyOf: [{ properties: { a: text } }, { properties: { b: text } }] },
    { a: null, b: null },
    {},
  ],
  ['one of several types', { properties: { a: { type: ['string', 'integer'] } } }, { a: null }, {}],
  ['one of several values', { properties: { a: { enum: ['x', 'y'] } } }, { a: null }, {}],
])('leaves out null for %s', (_, schema, given, expected) => {
  expect(withoutAbsentNulls(schema, given)).toEqual(expected)
})

it.each<[string, JsonObject, Json]>([
  ['a required property', { properties: { a: text }, required: ['a'] }, { a: null }],
  ['a property that may be null', { properties: { a: { type: ['string', 'null'] } } }, { a: null }],
  ['a property of any kind', { properties: { a: { description: 'any' } } }, { a: null }],
  ['a nullable property', { properties: { a: { type: 'string', nullable: true } } }, { a: null }],
  ['an alternative that is null', { properties: { a: { anyOf: [text, { type: 'null' }] } } }, { a: null }],
  ['a property that the schema does not name', { type: 'object' }, { a: null }],
  ['an item', { properties: { a: { items: text } } }, { a: [null] }],
  ['a reference to itself', { $ref: '#' }, { a: null }],
])('keeps null for %s', (_, schema, given) => {
  expect(withoutAbsentNulls(schema, given)).toBe(given)
})

it('accepts null where a schema would accept the missing property, of every kind', async () => {
  const kinds = fc.constantFrom(
    z.string(),
    z.number(),
    z.boolean(),
    z.array(z.string()),
    z.object({ x: z.string() }),
    z.enum(['a']),
  )
  const compiler = createSchemaCompiler()
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string({ minLength: 1 }), kinds), async (shape) => {
      const optional = Object.fromEntries(Object.entries(shape).map(([key, kind]) => [key, kind.optional()]))
      const schema = z.toJSONSchema(z.object(optional)) as JsonObject
      const nulls = Object.fromEntries(Object.keys(shape).map((key) => [key, null]))
      expect(await (await compiler.compile(schema)).check(withoutAbsentNulls(schema, nulls))).toEqual([])
    }),
    { numRuns: 30 },
  )
})
