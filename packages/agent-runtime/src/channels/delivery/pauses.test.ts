import { expect, it, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { createTestChannel, toRequest } from '../testing/test-channel.ts'

it('A1: an answer that is being sent while the machine sleeps is sent once', async () => {
  const { promise: platform, resolve: goOn } = Promise.withResolvers<void>()
  const begun: string[] = []
  const channel = createTestChannel({
    agentId: 'parrot',
    onSend: async ({ text }) => {
      begun.push(text)
      if (text === '*Hello*') await platform
    },
  })
  let nowMs = Date.now()
  await using runtime = createRuntime({ environment: {}, channels: [channel], now: () => nowMs })
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.channels.receive('test', toRequest({ chat: '1', text: 'Hello' }))
  await vi.waitFor(() => expect(begun).toEqual(['*Hello*']), { timeout: 60_000 })
  nowMs += 8 * 3_600_000
  // which makes the loop look for answers
  await runtime.channels.receive('test', toRequest({ chat: '2', text: 'Morning' }))
  await vi.waitFor(() => expect(begun).toContain('*Morning*'), { timeout: 60_000 })
  goOn()
  const statuses = async () => (await runtime.channels.messages('test')).messages.map(({ status }) => status)
  await vi.waitFor(async () => expect(await statuses()).toEqual(['delivered', 'delivered']), {
    timeout: 60_000,
  })
  expect(channel.sent.map(({ text }) => text).toSorted()).toEqual(['*Hello*', '*Morning*'])
})
