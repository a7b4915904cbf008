import { expect, it, vi } from 'vitest'
import type { Delivery, DeliveryWrite } from '../../store/ports/channel-store.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { silentLogger } from '../../ports/logger.ts'
import { deliver } from './deliver.ts'
import { DeliveryStopped } from './delivery-progress.ts'
import { createTestChannel } from '../testing/test-channel.ts'

const delivery: Delivery = {
  message: {
    id: 'message-1',
    channel: 'test',
    conversationId: 'test:1',
    sender: { id: 'somebody' },
    text: 'Hello',
    target: { data: { chat: '1' } },
    taskId: 'task-1',
    receivedAt: '2026-11-01T00:00:00.000Z',
    status: 'delivering',
    parts: [],
    tries: 2,
    updatedAt: '2026-11-01T00:00:00.000Z',
  },
  task: undefined,
}

/** Delivers until `why` comes in the midst of the first write. @returns what was written, and how often something was sent. */
async function stopWhileWriting(why: 'closed' | 'lost') {
  const stop = new AbortController()
  const writes: DeliveryWrite[] = []
  const channel = createTestChannel()
  const send = vi.spyOn(channel, 'send')
  const store = {
    findChannelMessage: async () => undefined,
    findFile: async () => undefined,
    async saveDelivery(write: DeliveryWrite) {
      writes.push(write)
      stop.abort(new DeliveryStopped(why))
      return true
    },
  }
  const now = () => Date.parse('2026-11-01T00:00:05.000Z')
  const context = { store, owner: 'me', logger: silentLogger, now, random: () => 0, maxSendMs: 30_000 }
  await deliver(context, channel, delivery, stop.signal)
  return { writes, sends: send.mock.calls.length }
}

it('A1: begins no send when the process stops, and leaves the answer to the next start', async () => {
  const { writes, sends } = await stopWhileWriting('closed')
  expect(sends).toBe(0)
  expect(writes).toHaveLength(2)
  expect(writes[1]).toMatchObject({
    parts: [{ index: 0, state: 'pending' }],
    outcome: { kind: 'later', at: '2026-11-01T00:00:05.000Z', tries: 2 },
  })
})

it('A1: neither sends nor writes any more when somebody else has the delivery', async () => {
  const { writes, sends } = await stopWhileWriting('lost')
  expect([writes.length, sends]).toEqual([1, 0])
})

it('A1: what the store cannot write for a moment is written again, and nothing is sent twice', async () => {
  vi.useFakeTimers()
  const channel = createTestChannel()
  const send = vi.spyOn(channel, 'send')
  const busy = new RuntimeError('storage_error', 'Writing failed: it is busy.', { retryable: true })
  const saveDelivery = vi.fn(async (_write: DeliveryWrite) => true)
  saveDelivery.mockResolvedValueOnce(true).mockRejectedValueOnce(busy).mockRejectedValueOnce(busy)
  const context = {
    store: { saveDelivery, findChannelMessage: async () => undefined, findFile: async () => undefined },
    owner: 'me',
    logger: silentLogger,
    now: () => Date.parse('2026-11-01T00:00:05.000Z'),
    random: () => 0,
    maxSendMs: 30_000,
  }
  const delivered = deliver(context, channel, delivery, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(5000)
  await delivered
  vi.useRealTimers()
  expect(send).toHaveBeenCalledOnce()
  expect(saveDelivery.mock.lastCall?.[0]).toMatchObject({ outcome: { kind: 'ended', status: 'delivered' } })
})
