import type { Json } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { createSchemaCompiler } from './schema-compiler.ts'

async function check(schema: object, value: Json) {
  return (await createSchemaCompiler().compile({ ...schema })).check(value)
}

it.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
  'A20: gives up a url that its format would look at for minutes, by %s',
  async ($schema) => {
    const hostile = `http://a${':'.repeat(300_000)}!`
    const schema = { $schema, type: 'string', format: 'url' }
    expect(await check(schema, hostile)).toEqual({ unknown: expect.stringContaining('within 1000 ms') })
    expect(await check(schema, 'https://skill.example/things')).toEqual([])
    expect(await check(schema, 'no url')).toMatchObject([{ keyword: 'format' }])
  },
)

it('A20: gives up a check that finds something by each of many rules in each of many values', async () => {
  const rules = Array.from({ length: 1000 }, () => ({ type: 'string' }))
  const schema = { type: 'array', items: { allOf: rules } }
  const many = Array.from({ length: 10_000 }, (_, index) => index)
  expect(await check(schema, many)).toEqual({ unknown: expect.stringContaining('within 1000 ms') })
  expect(await check(schema, ['a', 'b'])).toEqual([])
  expect(await check(schema, [1])).toHaveLength(1000)
})

const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

/** Schemas of a property that are not valid, with values that they allow and values that the rest of them rejects. */
it.each<[string, object, Json[], Json[]]>([
  ['a pattern with needless escapes', { pattern: '^[\\w\\-]+\\@[a-z]+\\.de$' }, ['a-b@c.de'], ['a-b@c.com']],
  ['a time with escaped colons', { pattern: '^\\d\\d\\:\\d\\d$' }, ['12:30'], ['1230']],
  ['flags inside a pattern', { pattern: '(?i)^yes|no$' }, ['YES', 'No'], ['maybe']],
  ['a pattern of another language', { type: 'string', pattern: '^\\A(?P<y>a++)\\Z' }, ['anything'], [1]],
  ['nullable without a type', { enum: ['a', 'b'], nullable: true }, ['a', null], ['c']],
  ['nullable beside a type', { type: 'string', nullable: true, id: 'x' }, ['a', null], [1]],
  [
    'bounds of draft 4',
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    [1, 8],
    [0, 9, 'x'],
  ],
  ['bounds of draft 4 that do not hold', { minimum: 0, exclusiveMinimum: false }, [0], [-1]],
  ['an id of draft 4', { id: 'http://x.example/a', type: 'integer' }, [1], ['1']],
  ['an unknown type', { type: 'file', minLength: 2 }, ['ab', 7], ['a']],
  ['an unknown type among known ones', { type: ['string', 'any'] }, ['a', 7], []],
  ['a reference that leads nowhere', { $ref: '#/components/schemas/Gone', maxLength: 2 }, ['ab'], ['abc']],
  ['an empty enum', { enum: [], type: 'string' }, ['a'], [1]],
  ['required as a boolean', { type: 'string', required: true }, ['a'], [1]],
  ['numbers as text', { type: 'string', minLength: '2', maxLength: 3 }, ['a'], ['abcd']],
  ['a list that is none', { anyOf: {}, allOf: [], type: 'string' }, ['a'], [1]],
  ['not around what cannot be checked', { not: { type: 'secret' } }, ['a', 1], []],
  [
    'a condition that cannot be checked',
    // oxlint-disable-next-line no-thenable -- a keyword of JSON Schema
    { if: { type: 'yes' }, then: { const: 1 }, else: { const: 2 } },
    [1, 2, 3],
    [],
  ],
  [
    'one of several that cannot be told apart',
    { oneOf: [{ type: 'text' }, { type: 'string' }] },
    ['a', 1],
    [],
  ],
  [
    'property names by an unreadable pattern',
    { patternProperties: { '(?<': { type: 'string' } }, additionalProperties: false },
    [{ a: 1 }],
    [],
  ],
  ['schemas that are none', { properties: { a: 'string', b: null }, required: ['a'] }, [{ a: 1 }], [{}]],
  [
    'items of draft 7 in the newer dialect',
    { $schema: draft2020, type: 'array', items: [{ type: 'string' }] },
    [['a']],
    ['a'],
  ],
])('A16: checks what can be checked of a schema with %s', async (_, schema, good, bad) => {
  for (const value of good) expect([value, await check(schema, value)]).toEqual([value, []])
  for (const value of bad) expect([value, await check(schema, value)]).not.toEqual([value, []])
  // and as one property among others
  const whole = { type: 'object', properties: { it: schema, n: { type: 'number' } }, required: ['n'] }
  if (!('$schema' in schema))
    for (const value of good) expect(await check(whole, { it: value, n: 1 })).toEqual([])
  expect(await check(whole, { it: good[0] ?? null })).not.toEqual([])
})

it('follows a reference to a part that cannot be checked as a whole, and to itself', async () => {
  const node = {
    type: 'object',
    properties: { next: { $ref: '#/components/schemas/Node' }, at: { type: 'date' } },
  }
  const schema = { $ref: '#/components/schemas/Node', components: { schemas: { Node: node } } }
  expect(await check(schema, { next: { next: {}, at: 1 } })).toEqual([])
  expect(await check(schema, { next: { next: 7 } })).not.toEqual([])
})

it('says which rules are not checked', async () => {
  const compiler = createSchemaCompiler()
  expect(await compiler.compile({ type: 'any', maxLength: 1 })).toMatchObject({
    unchecked: expect.stringContaining('"type"'),
  })
  expect((await compiler.compile({ pattern: 'a\\-b' })).unchecked).toBeUndefined()
})
