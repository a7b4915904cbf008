import type { AuditEntry } from '@homeward/contract/device-cloud'
import { expect, it } from 'vitest'
import { agentOf, pickSearches } from './searched-by.tsx'

const entryOf = (id: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  createdAt: '2026-01-01T00:00:00.000Z',
  userId: 'local',
  action: 'search:created',
  outcome: 'done',
  reason: null,
  deviceId: 'd1',
  subjectId: `s${id}`,
  name: null,
  address: null,
  ...changes,
})

it('picks the searches that were created on a device', () => {
  const group = (...ids: string[]) => ({ deviceId: null, devices: { count: ids.length, ids } })
  const large = { deviceId: null, devices: { count: 503, ids: ['d7'] } }
  const entries = [
    entryOf('1'),
    entryOf('2', { outcome: 'refused', reason: 'not found' }),
    entryOf('3', group('d1', 'd2')),
    entryOf('4', group('d2', 'd3')),
    entryOf('5', large),
  ]
  expect(pickSearches(entries, 'd1').map(({ id }) => id)).toEqual(['1', '3', '5'])
  const many = Array.from({ length: 20 }, (_, index) => entryOf(String(index)))
  expect(pickSearches(many, 'd1')).toEqual(many.slice(0, 8))
})

it('knows agents by their actor', () => {
  expect(agentOf({ actor: 'agent:demo' })).toBe('demo')
  for (const actor of [undefined, 'token:agent:demo', 'ann'])
    expect(agentOf({ ...(actor && { actor }) })).toBe(undefined)
})
