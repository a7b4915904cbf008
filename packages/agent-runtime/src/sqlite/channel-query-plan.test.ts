import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import {
  accept,
  acceptanceOf,
  deliveryClaim,
  deliveryWrite,
  endTasks,
  outbox,
} from '../testing/channel-fixtures.ts'
import { at } from '../testing/conformance-fixtures.ts'
import { createSqliteStore } from './create-sqlite-store.ts'

it('A1: takes in, sends, lists and forgets messages by an index, without sorting or scanning a table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-plan-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'agents.db')
  const seen = new Set<string>()
  const store = createSqliteStore({ path, onStatement: ({ sql }) => void seen.add(sql) })
  const source = 'channel_a:1'
  await store.claimPolling(source, { owner: 'o1', until: at(30) }, at(0))
  await accept(store, ...['m1', 'm2', 'm3'].map((id) => acceptanceOf(id)))
  await store.acceptMessages({
    now: at(2000), // the keys of the first ones are old then
    acceptances: [acceptanceOf('m4')],
    polled: { source, owner: 'o1', nextOffset: 8 },
  })
  await endTasks(store)
  await store.claimDeliveries(deliveryClaim())
  await store.renewDeliveries({ owner: 'd1', until: at(60) }, ['m1'])
  await store.saveDelivery(deliveryWrite('m1', { outbox, parts: [{ index: 0, state: 'sending' }] }))
  await store.saveDelivery(
    deliveryWrite('m1', {
      parts: [{ index: 0, state: 'sent' }],
      outcome: { kind: 'ended', status: 'uncertain' },
    }),
  )
  await store.resolveChannelMessage({ id: 'm1', decision: 'resend', now: at(70) })
  await store.claimDeliveries(deliveryClaim())
  await store.saveDelivery(deliveryWrite('m1', { outcome: { kind: 'ended', status: 'delivered' } }))
  await store.findChannelMessage('m1')
  await store.countChannelMessages('one')
  for (const channel of [undefined, 'one'])
    for (const status of [undefined, 'waiting', 'failed', 'uncertain'] as const)
      await store.listChannelMessages({ channel, status }, { limit: 2 })
  await store.listChannelMessages({ conversationId: 'c1' }, { limit: 2 })
  await store.prune({ tasksBefore: at(400_000) })
  await store.releasePolling(source, 'o1')
  await store.close()

  const database = new DatabaseSync(path)
  const bad: string[] = []
  const ofChannels = [...seen].filter((sql) => sql.includes('channel_'))
  for (const sql of ofChannels) {
    for (const step of database.prepare(`explain query plan ${sql}`).all()) {
      const detail = String(step['detail'])
      if ((detail.startsWith('SCAN') && !detail.includes('CONSTANT ROW')) || detail.includes('TEMP B-TREE'))
        bad.push(`${detail}: ${sql}`)
      // Those of a channel that failed, or wait, are few among all there were.
      if (/"channel" = \? and "status" = /.test(sql))
        expect(detail).toMatch(/INDEX channel_messages_(open|trouble)/)
    }
  }
  database.close()
  expect(bad).toEqual([])
  expect(ofChannels.length).toBeGreaterThan(20)
})
