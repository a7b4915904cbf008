import type { RJSFSchema } from '@rjsf/utils'
import { expect, it } from 'vitest'
import { clashingPaths, rebaseConfig, toFormValue, withTheirChanges } from './config-value.ts'

it('leaves out secrets that are not set, and nothing else that is false', () => {
  const schema: RJSFSchema = {
    properties: {
      key: { type: 'string', format: 'password' },
      other: { type: 'string', writeOnly: true },
      loud: { type: 'boolean' },
      auth: { $ref: '#/$defs/auth' },
    },
    $defs: { auth: { properties: { pin: { format: 'password' }, open: { type: 'boolean' } } } },
  }
  const shown = { key: false, other: true, loud: false, auth: { pin: false, open: false }, extra: false }
  expect(toFormValue(schema, shown)).toEqual({
    other: true,
    loud: false,
    auth: { open: false },
    extra: false,
  })
  expect(toFormValue({ $ref: '#/nowhere' }, { key: false })).toEqual({ key: false })
})

it('takes what the server has of what was saved, and keeps what was written meanwhile', () => {
  const sent = { base: 'a', key: 'secret', days: 3, gone: 1 }
  const saved = { base: 'a', key: true, days: 3, gone: 1, filled: 'by the server' }
  expect(rebaseConfig(sent, sent, saved)).toEqual(saved)
  expect(rebaseConfig({ base: 'ab', key: 'secret', days: 3, more: [1] }, sent, saved)).toEqual({
    base: 'ab',
    key: true,
    days: 3,
    more: [1],
    filled: 'by the server',
  })
})

it('keeps what somebody else saved since the form began, unless it was changed here too', () => {
  const read = { base: 'a', key: true, days: 3, auth: { user: 'me', open: false } }
  const begun = { read, shown: { ...read, unit: 'metric' } }
  const value = { base: 'mine', key: true, days: 3, unit: 'metric', auth: { user: 'me', open: true } }
  expect(withTheirChanges(value, begun, read)).toEqual(value)

  const now = { base: 'theirs', days: 4, unit: 'imperial', more: [1], auth: { user: 'them', open: false } }
  expect(withTheirChanges(value, begun, now)).toEqual({
    base: 'mine',
    days: 4,
    unit: 'imperial',
    more: [1],
    auth: { user: 'them', open: true },
  })
})

it('finds what was changed here and elsewhere to something else', () => {
  const read = { base: 'a', key: true, days: 3, loud: false, list: [1], auth: { user: 'me', open: false } }
  const shown = { ...read, unit: 'metric' }
  const value = { ...shown, base: 'mine', days: 4, key: null, list: [1, 2], auth: { user: 'us', open: true } }
  expect(clashingPaths(value, shown, read, read)).toEqual([])

  const { key: _removed, ...rest } = read
  const now = { ...rest, base: 'theirs', days: 4, loud: true, list: [], auth: { user: 'them', open: false } }
  expect(clashingPaths(value, shown, read, now)).toEqual([['base'], ['list'], ['auth', 'user']])
  expect(clashingPaths(value, shown, now, now)).toEqual([])
  expect(clashingPaths(value, shown, now, { ...now, base: 'another' })).toEqual([['base']])
  expect(clashingPaths({ ...value, auth: { user: 'us' } }, shown, read, rest)).toEqual([])
})
