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
    'it must be nested at most 100 levels deep',
  ],
])('A15: refuses a config schema that is %s', (_, schema, reason) => {
  expect(() => withSchema(schema)).toThrow(`Reading config.schema.json failed: ${reason}.`)
})

it('A15: refuses metadata that holds itself', () => {
  const texts = { 'skill.yaml': 'name: a\ndescription: d\nmetadata: &all { self: *all }' }
  expect(() => parseSkill('a', '/skills/a', texts)).toThrow('an alias refers to a node that contains it')
})

const withTools = (tools: string) =>
  parseSkill('a', '/skills/a', { 'SKILL.md': `---\nname: a\ndescription: d\ntools: ${tools}\n---\nBody` })

it.each(['Read, Grep', '[Read, "Bash(git *)"]', 'Task', '"*"', '[]'])(
  'A15: names of tools of another program say nothing here: %s',
  (tools) => {
    expect(withTools(tools).tools).toEqual([])
  },
)

it('A15: names the file that tools stand in', () => {
  expect(() => withTools('{ read: true }')).not.toThrow('tools.yaml')
  expect(() => withTools('[{ id: x }]')).toThrow(/Correct the skill's SKILL\.md\.$/)
  expect(() =>
    parseSkill('a', '/a', { 'skill.yaml': 'name: a\ndescription: d\ntools: [{ id: x }]' }),
  ).toThrow("Correct the skill's skill.yaml.")
  const texts = { 'skill.yaml': 'name: a\ndescription: d', 'tools.yaml': '- Read' }
  expect(() => parseSkill('a', '/a', texts)).toThrow("Correct the skill's tools.yaml.")
})

it('A15: loads what people publish: colons, numbers as text, and the line of the file in errors', () => {
  const front = 'name: 007\nversion: 1.10\ndescription: Two axes: one and two'
  expect(parseSkill('a', '/a', { 'SKILL.md': `---\n${front}\n---\nBody` })).toMatchObject({
    name: '007',
    version: '1.10',
    description: 'Two axes: one and two',
  })
  expect(() => parseSkill('a', '/a', { 'SKILL.md': '---\nname: a\nb: [\n---\nBody' })).toThrow(
    /at line [34],/,
  )
})
