import { describe, expect, it } from 'vitest'
import { meetsCondition } from './graph-evaluation.ts'
import { renderNodeInput } from './node-input.ts'

const values: Readonly<Record<string, string>> = { input: 'the question', a: 'A', b: '{{a}}' }
const render = (template: string | undefined, incoming: readonly string[] = ['in']) =>
  renderNodeInput({ template, incoming, valueOf: (name) => values[name] ?? '' })

describe('renderNodeInput', () => {
  it('A10: without a text, the task is what comes in', () => {
    expect(render(undefined)).toBe('in')
    expect(render(undefined, ['one', 'two'])).toBe('one\n\ntwo')
    expect(render('  ', ['one'])).toBe('one')
  })

  it('A10: without a placeholder, what comes in stands behind the text', () => {
    expect(render('Sum up:', ['one', 'two'])).toBe('Sum up:\n\none\n\ntwo')
    expect(render('Go', [''])).toBe('Go')
  })

  it('A10: every placeholder is replaced, and then nothing is added', () => {
    expect(render('{{input}}? {{ a }}, {{a}}.')).toBe('the question? A, A.')
    expect(render('{{none}}!')).toBe('!')
  })

  it('A10: what stands for a placeholder is not looked at again', () => {
    expect(render('{{b}} $& $1')).toBe('{{a}} $& $1')
    expect(render('Got', ['{{input}}'])).toBe('Got\n\n{{input}}')
  })

  it('A10: an agent always gets some text', () => {
    expect(render(undefined, [''])).toBe('(empty)')
    expect(render('{{none}}')).toBe('(empty)')
  })

  it('A10: refuses a task that would not end, before it is made', () => {
    const valueOf = () => 'x'.repeat(1_000_000)
    const template = '{{a}}'.repeat(20_000)
    expect(() => renderNodeInput({ template, incoming: [], valueOf })).toThrow('at most 1000000 characters')
    expect(renderNodeInput({ template: '{{a}}', incoming: [], valueOf })).toHaveLength(1_000_000)
  })
})

describe('meetsCondition', () => {
  it.each([
    [undefined, 'anything', true],
    ['YES', 'well, yes.', true],
    ['yes', 'no', false],
    [{ contains: 'ß' }, 'STRAßE', true],
    [{ not_contains: 'no' }, 'yes', true],
    [{ not_contains: 'no' }, 'Not', false],
    [{ equals: 'approve' }, ' Approve\n', true],
    [{ equals: 'approve' }, 'approved', false],
    [{ starts_with: 'Yes' }, '\n yes, but', true],
    [{ starts_with: 'yes' }, 'oh yes', false],
    [{ contains: 'a', not_contains: 'b' }, 'ab', false],
    [{ contains: 'a', starts_with: 'c' }, 'ca', true],
    [{}, 'anything', true],
  ] as const)('A10: %j of %j is %s', (when, output, expected) => {
    expect(meetsCondition(when, output)).toBe(expected)
  })
})
