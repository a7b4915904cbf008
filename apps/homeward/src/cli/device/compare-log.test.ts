import type { OwnAuditEntry } from '@homeward/contract/device-cloud'
import type { AuditEntry } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { compareLogs } from './compare-log.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const own = (id: string, minute: number, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at: at(minute),
  action: 'search',
  outcome: 'allowed',
  id,
  subject: 'report',
  actor: 'bob',
  ...changes,
})
const asked = (requestId: string, minute: number, changes: Partial<OwnAuditEntry> = {}): OwnAuditEntry => ({
  id: requestId,
  requestId,
  at: at(minute),
  actor: 'bob',
  action: 'search:created',
  ...changes,
})

interface Logs {
  readonly device?: readonly AuditEntry[]
  readonly later?: readonly AuditEntry[]
  readonly cloud?: readonly OwnAuditEntry[]
  readonly isCut?: boolean
  readonly knownSince?: string
  readonly sinceMs?: number
  readonly pairedMs?: number
}

function compare({ device = [], later = [], cloud = [], isCut = false, knownSince, ...rest }: Logs) {
  const history = (entries: readonly AuditEntry[]) => ({ entries, isCut, damagedLines: 0 })
  return compareLogs({
    before: history(device),
    after: history([...device, ...later]),
    cloud: { entries: cloud, knownSince },
    sinceMs: -Infinity,
    pairedMs: 0,
    ...rest,
  })
}

it('finds the same requests in both logs', () => {
  const result = compare({
    device: [own('a', 2), own('a', 3), own('b', 4)],
    cloud: [asked('b', 3), asked('a', 1)],
  })
  expect(result).toMatchObject({ same: 2, onlyInCloud: [], onlyOnDevice: [], otherActor: [] })
})

it('names each request that one side does not have, once, and another actor', () => {
  const result = compare({
    device: [own('a', 2), own('gone', 3), own('gone', 4), own('who', 5, { actor: 'eve' })],
    cloud: [asked('who', 5), asked('hidden', 3), asked('a', 1)],
  })
  expect(result.same).toBe(1)
  expect(result.onlyInCloud.map(({ requestId }) => requestId)).toEqual(['hidden'])
  expect(result.onlyOnDevice.map(({ id }) => id)).toEqual(['gone'])
  expect(result.otherActor).toEqual([{ id: 'who', device: 'eve', cloud: 'bob' }])
})

it('counts what the device has not answered as no difference', () => {
  const cloud = (['pending', 'pending', 'expired', 'canceled'] as const).map((unanswered, index) =>
    asked(String(index), 1, { unanswered }),
  )
  const result = compare({ device: [own('1', 2)], cloud })
  expect(result).toMatchObject({ same: 1, onlyInCloud: [], onlyOnDevice: [] })
  expect(result.unanswered).toEqual({ pending: 1, expired: 1, canceled: 1 })
})

it('counts what rotation, retention and a new pairing took away as no difference', () => {
  const logs = { device: [own('b', 10)], cloud: [asked('b', 9), asked('a', 1), asked('c', 12)] }
  expect(compare({ ...logs, isCut: true })).toMatchObject({ beforeLog: 1, onlyInCloud: [{ requestId: 'c' }] })
  expect(compare(logs)).toMatchObject({ beforeLog: 0, onlyInCloud: [{ requestId: 'a' }, { requestId: 'c' }] })
  const old = { device: [own('a', 1), own('b', 10)] }
  expect(compare({ ...old, knownSince: at(5) })).toMatchObject({
    beforeCloud: 1,
    onlyOnDevice: [{ id: 'b' }],
  })
  expect(compare({ ...old, pairedMs: Date.parse(at(5)) })).toMatchObject({
    beforeCloud: 1,
    onlyOnDevice: [{ id: 'b' }],
  })
})

it('looks only at what is newer than a time', () => {
  const sinceMs = Date.parse(at(5))
  const result = compare({
    device: [own('old', 1), own('over', 6), own('new', 7)],
    cloud: [asked('new', 6), asked('over', 4), asked('lost', 2)],
    sinceMs,
  })
  expect(result).toMatchObject({ same: 1, onlyInCloud: [], onlyOnDevice: [] })
})

it('knows a request that the device answers while the logs are read', () => {
  const result = compare({
    device: [own('a', 2)],
    later: [own('b', 3)],
    cloud: [asked('b', 2), asked('a', 1)],
  })
  expect(result).toMatchObject({ same: 2, onlyInCloud: [], onlyOnDevice: [] })
})
