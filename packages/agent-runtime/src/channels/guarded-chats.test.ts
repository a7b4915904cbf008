import { expect, it, vi } from 'vitest'
import { createRuntime } from '../runtime/create-runtime.ts'
import { createTestChannel, toRequest } from './testing/test-channel.ts'

it('a message that a guard refuses is answered with the reason of the guard', async () => {
  const channel = createTestChannel({ agentId: 'parrot' })
  await using runtime = createRuntime({
    environment: {},
    channels: [channel],
    guards: { input: ({ text }) => (text.includes('card') ? { refuse: 'no card numbers here' } : 'allow') },
  })
  await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
  await runtime.channels.receive('test', toRequest({ text: 'My card' }))
  await vi.waitFor(() => expect(channel.sent).toHaveLength(1), { timeout: 60_000, interval: 5 })
  expect(channel.sent[0]?.text).toMatch(/I cannot answer this: no card numbers here/)
})
