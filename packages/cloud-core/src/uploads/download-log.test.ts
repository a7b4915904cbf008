import { expect, it } from 'vitest'
import { createAuditLog } from '../audit/audit-log.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import { createDownloadLog } from './download-file.ts'

const hourMs = 3_600_000
const file = (blobId: string) => ({ blobId, fileName: 'a.mp4' })
const ann = { userId: 'ann', address: '192.0.2.1' }

/** A log with a clock that only the test moves, and a storage that can be down. */
function openLog() {
  const state = { nowMs: Date.parse('2026-01-01T00:00:00.000Z'), isDown: false }
  const entries: NewAuditEntry[] = []
  const now = () => state.nowMs
  const audit = createAuditLog({
    store: {
      async appendAudit(added) {
        if (state.isDown) throw new Error('disk full')
        entries.push(...added)
      },
    },
    now,
    createId: () => 'id',
    retentionDays: null,
    emit: () => {},
  })
  return { record: createDownloadLog({ audit, now }), entries, state }
}

it('C24: parts of one file are one download for an hour, however many are asked for at once', async () => {
  const { record, entries, state } = openLog()
  await Promise.all(Array.from({ length: 9 }, () => record(ann, file('b1'), true)))
  state.nowMs += hourMs - 1
  await record(ann, file('b1'), true)
  expect(entries).toHaveLength(1)
  state.nowMs += 1
  await record(ann, file('b1'), true)
  expect(entries).toHaveLength(2)
})

it('C24: each download of a whole file is recorded, and what goes on with it is not', async () => {
  const { record, entries } = openLog()
  await record(ann, file('b1'), false)
  await record(ann, file('b1'), true)
  await record(ann, file('b1'), false)
  expect(entries).toHaveLength(2)
})

it('C24: another file, another user and another address are downloads of their own', async () => {
  const { record, entries } = openLog()
  const callers = [ann, { ...ann, userId: 'bob' }, { ...ann, address: '192.0.2.2' }, { userId: 'ann' }]
  for (const caller of callers) await record(caller, file('b1'), true)
  await record(ann, file('b2'), true)
  expect(entries).toHaveLength(5)
})

it('C24: a part is not given when its download could not be recorded, nor is the next', async () => {
  const { record, entries, state } = openLog()
  state.isDown = true
  await expect(record(ann, file('b1'), true)).rejects.toThrow('disk full')
  await expect(record(ann, file('b1'), true)).rejects.toThrow('disk full')
  state.isDown = false
  await record(ann, file('b1'), true)
  expect(entries).toHaveLength(1)
})

it('C24: a clock that is put back hides no download', async () => {
  const { record, entries, state } = openLog()
  await record(ann, file('b1'), true)
  state.nowMs -= 1
  await record(ann, file('b1'), true)
  expect(entries).toHaveLength(2)
})

it('C24: what is remembered does not grow with the files', async () => {
  const { record, entries } = openLog()
  for (let index = 0; index <= 10_000; index += 1) await record(ann, file(`b${index}`), true)
  await record(ann, file('b10000'), true)
  expect(entries).toHaveLength(10_001)
  await record(ann, file('b0'), true)
  expect(entries).toHaveLength(10_002)
})
