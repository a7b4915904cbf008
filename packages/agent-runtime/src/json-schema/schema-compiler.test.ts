import type { Json } from '@homeward/contract/agent-platform'
import { expect, it } from 'vitest'
import { createSchemaCompiler } from './schema-compiler.ts'

async function check(schema: object, value: Json) {
  const compiled = await createSchemaCompiler().compile({ ...schema })
  if ('broken' in compiled) throw new Error(compiled.broken)
  return compiled.check(value)
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
