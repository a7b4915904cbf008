import { spawnSync } from 'node:child_process'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { createSchemaCheck } from './schema-problem.ts'

const schemaProblem = createSchemaCheck()

it.each<[string, JsonObject, string]>([
  ['an unknown type', { type: 'nonsense' }, '"type" must be'],
  ['a type deep inside', { properties: { a: { items: { type: 'text' } } } }, '"properties.a.items.type"'],
  ['a negative length', { minLength: -1 }, '"minLength" must be >= 0'],
  ['required as a boolean', { required: true }, '"required" must be array'],
  ['a list of schemas in place of one', { items: [{ type: 'string' }] }, '"items" must be object,boolean'],
  ['a pattern that is no regular expression', { pattern: '(' }, '"pattern" is not a regular expression'],
  ['such a pattern for names', { patternProperties: { '[': {} } }, 'is not a regular expression'],
  ['a reference to nothing', { $ref: '#/$defs/gone' }, "can't resolve reference #/$defs/gone"],
  ['a reference to another document', { $ref: 'https://x.example/schema' }, "can't resolve reference"],
  [
    'a bound of draft 4 in draft 2020-12',
    { minimum: 1, exclusiveMinimum: true },
    '"exclusiveMinimum" must be',
  ],
  ['a schema of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', if: 7 }, '"if" must be'],
  ['a schema of draft 4', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'any' }, 'type'],
])('names the fault of a schema with %s', async (_, schema, problem) => {
  expect(await schemaProblem(schema)).toContain(problem)
})

it.each<[string, JsonObject]>([
  ['nothing in it', {}],
  [
    'unknown keywords and formats',
    { type: 'string', format: 'phone', 'x-order': 1, $async: true, divisibleBy: 2 },
  ],
  ['needless escapes in a pattern', { pattern: '^[\\w\\-]+\\:$' }],
  ['a look-behind', { pattern: '(?<!a)b' }],
  [
    'a reference to itself',
    { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' },
  ],
  ['items of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
  [
    'bounds of draft 4',
    { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
  ],
  ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{}] }],
  ['a dialect of its own', { $schema: 'https://x.example/dialect', type: 'object' }],
])('accepts a schema with %s', async (_, schema) => {
  expect(await schemaProblem(schema)).toBeUndefined()
})

it('checks a large schema in a program that came on standard input', () => {
  const input = `
    import { createSchemaCheck } from ${JSON.stringify(new URL('schema-problem.ts', import.meta.url).href)}
    const enum_ = Array.from({ length: 100_000 }, (_, index) => index)
    console.log(await createSchemaCheck()({ enum: enum_, minLength: -1 }))`
  const { stdout } = spawnSync(process.execPath, [...process.execArgv, '--input-type=module', '-'], {
    input,
    encoding: 'utf8',
  })
  expect(stdout).toContain('"minLength" must be >= 0')
})
