import { expect, it } from 'vitest'
import type { GradedCase } from './conformance-case.ts'
import { readOptions, UsageError } from './options.ts'
import { selectCases } from './select-cases.ts'

it('reads what starts the agent after two dashes', () => {
  const args = [
    'device',
    '--level',
    'core',
    '--interval',
    '0.5',
    '--',
    'python3',
    'device.py',
    '--level',
    'x',
  ]
  expect(readOptions(args, {})).toMatchObject({
    subject: 'device',
    level: ['core'],
    intervalMs: 500,
    patienceMs: 60_000,
    command: ['python3', 'device.py', '--level', 'x'],
  })
})

it('judges several features at once, each with the levels that it includes', () => {
  const idsOf = (level: string) => {
    const one = (id: string) => [{ id } as GradedCase<never>]
    const cases = {
      core: one('a'),
      robust: one('b'),
      chunked: one('c'),
      selective: one('d'),
      work: one('e'),
      documents: one('f'),
      catalog: one('g'),
    }
    const options = readOptions(['device', '--level', level], {})
    return selectCases({ cases, level: options.level, only: [] })
      .map((each) => each.graded.id)
      .join('')
  }
  expect(['core', 'robust', 'chunked', 'work', 'chunked,work', 'work,selective,chunked'].map(idsOf)).toEqual([
    'a',
    'ab',
    'abc',
    'abe',
    'abce',
    'abcde',
  ])
})

it('takes the token from the environment, where other users cannot read it', () => {
  const args = ['cloud', 'http://127.0.0.1:3000']
  expect(readOptions(args, { HOMEWARD_TOKEN: 'hwt_a' }).sessionToken).toBe('hwt_a')
  expect(readOptions([...args, '--session-token', 'hwt_b'], { HOMEWARD_TOKEN: 'hwt_a' }).sessionToken).toBe(
    'hwt_b',
  )
})

it.each([
  ['no subject', [], '"device" or "cloud" is missing'],
  [
    'an unknown level',
    ['device', '--level', 'all'],
    '"--level" must be core, robust, chunked, selective, work, documents, catalog',
  ],
  ['an unknown option', ['device', '--fast'], "Unknown option '--fast'"],
  ['a command without dashes', ['device', 'python3'], 'Write the command after "--"'],
  ['a server without an address', ['cloud'], 'the address of the server is missing'],
  ['an interval of nothing', ['device', '--interval', '0'], '"--interval" must be 0.1 or more'],
])('says what is wrong with %s', (_, args, problem) => {
  expect(() => readOptions(args, {})).toThrow(UsageError)
  expect(() => readOptions(args, {})).toThrow(problem)
})
