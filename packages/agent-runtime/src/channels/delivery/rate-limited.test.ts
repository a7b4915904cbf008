import { expect, it, vi } from 'vitest'
import { createRuntime } from '../../runtime/create-runtime.ts'
import { ChannelError } from '../channel-error.ts'
import { createTestChannel, toRequest } from '../testing/test-channel.ts'

it('A1: waits for a chat as long as its platform says, and answers other chats meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] })
  try {
    const startedAt = Date.now()
    const tried: string[] = []
    const channel = createTestChannel({
      agentId: 'parrot',
      async onSend({ text }) {
        tried.push(`${text} at ${Math.floor((Date.now() - startedAt) / 60_000)} min`)
        if (tried.length > 1) return
        throw new ChannelError('rate_limited', 'Too many.', { retryAfterMs: 20 * 60_000 })
      },
    })
    await using runtime = createRuntime({ environment: {}, channels: [channel], random: () => 0 })
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const receive = (chat: string, text: string) =>
      runtime.channels.receive('test', toRequest({ chat, text }))
    await receive('1', 'Flood')
    await vi.advanceTimersByTimeAsync(5000)
    await receive('1', 'Behind it')
    await receive('2', 'Other')
    await vi.advanceTimersByTimeAsync(19 * 60_000)
    expect(tried).toEqual(['*Flood* at 0 min', '*Other* at 0 min'])
    await vi.advanceTimersByTimeAsync(2 * 60_000)
    expect(tried.slice(2)).toEqual(['*Flood* at 20 min', '*Behind it* at 20 min'])
  } finally {
    vi.useRealTimers()
  }
})
