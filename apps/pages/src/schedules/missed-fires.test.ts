import { expect, it } from 'vitest'
import { toMissedFire } from './schedules-page.tsx'

const event = (data: object, type = 'schedule.missed') => ({
  seq: 7,
  type,
  timestamp: '2026-06-01T09:00:00.000Z',
  data: { scheduled_for: '2026-06-01T08:00:00.000Z', timezone: 'UTC', ...data },
})

it('tells who missed a time, how often, and why', () => {
  expect(toMissedFire(event({ agent_id: 'a', reason: 'not_running', count: 3 }))).toEqual({
    seq: 7,
    subject: { kind: 'agent', id: 'a' },
    scheduledFor: '2026-06-01T08:00:00.000Z',
    timezone: 'UTC',
    count: 3,
    reason: 'The server was not running',
  })
  expect(toMissedFire(event({ graph_id: 'g', reason: 'overlap' }))).toMatchObject({
    subject: { kind: 'graph', id: 'g' },
    count: 1,
    reason: 'The previous run had not ended',
  })
  expect(toMissedFire(event({ agent_id: 'a', reason: 'news' }))?.reason).toBe('Skipped')
})

it('leaves out what is no missed time', () => {
  expect(toMissedFire(event({ agent_id: 'a' }, 'schedule.fired'))).toBeUndefined()
  expect(toMissedFire(event({}))).toBeUndefined()
  expect(toMissedFire(event({ agent_id: 'a', scheduled_for: 1 }))).toBeUndefined()
})
