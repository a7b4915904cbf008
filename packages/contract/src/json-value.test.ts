import { anything, assert, json, property } from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { issueText } from './handler/describe-issues.ts'
import { Json, JsonObject } from './json-value.ts'

const pairs = [
  [Json, z.json()],
  [JsonObject, z.record(z.string(), z.json())],
] as const
const anyValue = anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
})
const jsonText = json({ maxDepth: 5 }).map((text) => text.replaceAll('"a"', '"__proto__"'))

const issuesOf = (value: unknown) => {
  const { error } = z.safeParse(JsonObject, value, { error: issueText })
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}
const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) })

it('takes and gives what the schemas of zod take and give', () => {
  const same = (value: unknown) => {
    for (const [schema, known] of pairs) {
      const parsed = z.safeParse(schema, value)
      const expected = z.safeParse(known, value)
      expect(parsed.success).toBe(expected.success)
      // where zod stops at the first key, the way goes on
      const path = expected.error?.issues[0]?.path ?? []
      if (expected.success) expect(parsed.data).toStrictEqual(expected.data)
      else expect(parsed.error?.issues[0]?.path.slice(0, path.length)).toEqual(path)
    }
  }
  assert(property(anyValue, same), { numRuns: 1000 })
  assert(
    property(jsonText, (text) => same(JSON.parse(text))),
    { numRuns: 500 },
  )
  same(JSON.parse('{"__proto__": {"admin": true}, "a": {"__proto__": 1, "constructor": 2}}'))
})

it('gives a copy, which nobody changes later', () => {
  const given = { a: [{ b: 1 }] }
  const copy = z.parse(JsonObject, given)
  given.a[0]!.b = 2
  given.a.push({ b: 3 })
  expect(copy).toEqual({ a: [{ b: 1 }] })
})

it('says where a host has put what JSON does not have, and what that is', () => {
  class Ticket {
    readonly id = 1
  }
  expect(
    issuesOf({ at: [{ day: new Date(0) }], n: 1n, ticket: new Ticket(), no: undefined, x: NaN }),
  ).toEqual([
    'at.0.day: Invalid input: expected JSON value, received Date',
    'n: Invalid input: expected JSON value, received bigint',
    'ticket: Invalid input: expected JSON value, received Ticket',
    'no: is missing, expected JSON value',
    'x: Invalid input: expected JSON value, received NaN',
  ])
  expect(issuesOf([])).toEqual([': Invalid input: expected record, received array'])
})

it('refuses what holds itself, or nests without an end, instead of overflowing', () => {
  const circle: { a: unknown[]; b?: unknown } = { a: [] }
  circle.a.push(circle, circle)
  circle.b = circle
  expect(issuesOf(circle)).toEqual([': holds itself'])
  const same = { a: 1 }
  expect(issuesOf({ a: same, b: [same, same] })).toBeUndefined()
  expect([issuesOf(nested(500)), issuesOf(nested(501)), issuesOf(nested(5000))]).toEqual([
    undefined,
    [': is nested deeper than 500 levels'],
    [': is nested deeper than 500 levels'],
  ])
})

it('is described as any value, and as an object of any values', () => {
  expect(z.toJSONSchema(Json)).toEqual({ $schema: expect.any(String) })
  expect(z.toJSONSchema(JsonObject)).toMatchObject({ type: 'object', additionalProperties: {} })
})
