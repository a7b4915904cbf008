import { expect, it } from 'vitest'
import { readDeviceScopes } from './device-scope.ts'

it('reads the scopes that a device declares', () => {
  const printers = { name: 'printers', title: 'Printers', description: 'By name', schema: { type: 'array' } }
  expect(readDeviceScopes({ os: 'Linux', scopes: [{ name: 'files' }, printers] })).toEqual([
    { name: 'files' },
    printers,
  ])
})

it('leaves out entries of another form, repeats, and notes that are not text', () => {
  const scopes = [
    'files',
    null,
    { name: '' },
    { name: 'a', title: 7, schema: 'x' },
    { name: 'a' },
    { title: 'b' },
  ]
  expect(readDeviceScopes({ scopes })).toEqual([{ name: 'a' }])
  for (const odd of [undefined, null, 'files', { name: 'files' }, 7]) {
    expect(readDeviceScopes({ scopes: odd })).toEqual([])
  }
  const many = Array.from({ length: 100 }, (_, index) => ({ name: `s${index}` }))
  expect(readDeviceScopes({ scopes: many })).toHaveLength(64)
})
