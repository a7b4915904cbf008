import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { announceQuestion, buttonsOf, fieldsOf, questionText, readAnswer } from './question-form.ts'

const fieldOf = (schema?: JsonObject) => {
  const [field] = fieldsOf(schema ? { schema } : {})
  if (!field) throw new Error('no field')
  return field
}
const read = (schema: JsonObject | undefined, text: string) => readAnswer(fieldOf(schema), text)?.value

const colors = { type: 'string', enum: ['Red', 'blue', ''] }

describe('reading an answer', () => {
  it.each([
    ['a text without a schema', undefined, ' hello there ', 'hello there'],
    ['a text that looks like a number', { type: 'string' }, '5', '5'],
    ['an integer', { type: 'integer' }, '-12', -12],
    ['a fraction as an integer', { type: 'integer' }, '1.5', undefined],
    ['an integer that would be rounded', { type: 'integer' }, '9007199254740993', undefined],
    ['a number', { type: 'number' }, '1.5', 1.5],
    ['a number with words', { type: 'number' }, '5 apples', undefined],
    ['yes', { type: 'boolean' }, 'YES', true],
    ['1', { type: 'boolean' }, '1', true],
    ['no', { type: 'boolean' }, 'no', false],
    ['0', { type: 'boolean' }, '0', false],
    ['perhaps', { type: 'boolean' }, 'perhaps', undefined],
    ['an option in another case', colors, 'RED', 'Red'],
    ['no option', colors, 'green', undefined],
    ['an option that is a number', { enum: [1, 2] }, '2', 2],
    ['an option by its name', { enum: ['s'], enumNames: ['Small'] }, 'small', 's'],
    ['an option with a title', { oneOf: [{ const: 's', title: 'Small' }] }, 'small', 's'],
    ['a nullable type', { type: ['integer', 'null'] }, '3', 3],
    ['several options', { type: 'array', items: colors }, 'blue, red, BLUE', ['blue', 'Red']],
    ['several options, one of them unknown', { type: 'array', items: colors }, 'blue, green', undefined],
    ['several numbers', { type: 'array', items: { type: 'integer' } }, '1, 2', [1, 2]],
    ['an object without fields', { type: 'object' }, '{"a":1}', { a: 1 }],
    ['no JSON', { type: 'object' }, '{a', undefined],
    ['nothing', undefined, '  ', undefined],
  ])('reads %s', (_, schema, text, expected) => {
    expect(read(schema, text)).toEqual(expected)
  })
})

it('asks one question for each property, in order, also for one that is referred to', () => {
  const size = { type: 'string', enum: ['S', 'M'] }
  const schema = {
    type: 'object',
    properties: { name: { type: 'string', title: 'Your name' }, size: { $ref: '#/$defs/size' } },
    $defs: { size },
  }
  const fields = fieldsOf({ schema })
  expect(fields.map(({ name }) => name)).toEqual(['name', 'size'])
  expect(fields[1]?.options.map(({ value }) => value)).toEqual(['S', 'M'])
  const [first, second] = fields
  expect(first && questionText({ message: 'An order' }, first, true)).toMatch(
    /^An order\n\n\*\*Your name\*\*/,
  )
  expect(second && questionText({ message: 'An order' }, second, false)).toMatch(/^\*\*size\*\*\n\n- S\n- M/)
})

it('shows buttons for up to 10 options, and a list for more', () => {
  const many = (count: number) => ({ enum: Array.from({ length: count }, (_, index) => `option ${index}`) })
  expect(buttonsOf(fieldOf(many(10)), 'CODE')).toHaveLength(10)
  expect(buttonsOf(fieldOf(many(11)), 'CODE')).toBeUndefined()
  expect(buttonsOf(fieldOf({ type: 'boolean' }), 'CODE')).toEqual([
    { label: 'Yes', command: '/answer CODE 1' },
    { label: 'No', command: '/answer CODE 2' },
  ])
  const labels = buttonsOf(fieldOf({ enum: ['', 'x'.repeat(100)] }), 'CODE')?.map(({ label }) => label)
  expect(labels).toEqual(['(empty)', `${'x'.repeat(69)}…`])
  const wait = { message: 'Which?', schema: many(11) } as never
  expect(announceQuestion(wait, 'CODE').text).toContain('- option 10')
})
