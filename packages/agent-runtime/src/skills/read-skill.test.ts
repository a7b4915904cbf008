import { expect, it } from 'vitest'
import { parseSkill } from './read-skill.ts'

const withSchema = (schema: string) =>
  parseSkill('a', '/skills/a', { 'skill.yaml': 'name: a\ndescription: d', 'config.schema.json': schema })

it.each([
  ['no object', '[]', 'it is not a JSON Schema object'],
  ['no JSON', '{', 'it is not a JSON Schema object'],
  [
    'too deep to be written as JSON again',
    `${'{"not":'.repeat(60_000)}{}${'}'.repeat(60_000)}`,
    'it is nested deeper than 100 levels',
  ],
])('A15: refuses a config schema that is %s', (_, schema, reason) => {
  expect(() => withSchema(schema)).toThrow(`Reading config.schema.json failed: ${reason}.`)
})

it('A15: refuses metadata that holds itself', () => {
  const texts = { 'skill.yaml': 'name: a\ndescription: d\nmetadata: &all { self: *all }' }
  expect(() => parseSkill('a', '/skills/a', texts)).toThrow('an alias stands for what it is in')
})
