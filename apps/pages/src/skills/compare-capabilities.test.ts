import { expect, it } from 'vitest'
import { asksForMore, compareCapabilities } from './capability-list.tsx'

const none = { tools: [], hosts: [], commands: [], env: [] }

it('shows what is new first and what is gone last', () => {
  const compared = {
    capabilities: { ...none, hosts: ['a.example', 'b.example'] },
    added: { ...none, hosts: ['b.example'] },
    removed: { ...none, hosts: ['c.example'] },
  }
  expect(compareCapabilities(compared, 'hosts')).toEqual([
    { value: 'b.example', change: 'added' },
    { value: 'a.example', change: 'kept' },
    { value: 'c.example', change: 'removed' },
  ])
  expect(
    compareCapabilities({ capabilities: compared.capabilities }, 'hosts').map(({ change }) => change),
  ).toEqual(['kept', 'kept'])
  expect(compareCapabilities(compared, 'env')).toEqual([])
})

it('knows whether an update asks for more', () => {
  expect(asksForMore(none)).toBe(false)
  expect(asksForMore({ ...none, env: ['TOKEN'] })).toBe(true)
})
