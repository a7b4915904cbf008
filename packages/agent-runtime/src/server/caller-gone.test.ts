import { expect, it } from 'vitest'
import { createTestStore } from '../testing/create-test-store.ts'
import { startPlatform } from './testing/start-platform.ts'

it('reports nothing when a caller goes away, and makes no change for it any more', async () => {
  const { promise: reached, resolve: onReach } = Promise.withResolvers<void>()
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>()
  const plain = createTestStore()
  const store = {
    ...plain,
    async insertAgent(...[agent, audit, signal]: Parameters<typeof plain.insertAgent>) {
      signal?.addEventListener('abort', () => onGone())
      onReach()
      await gone
      return plain.insertAgent(agent, audit, signal)
    },
  }
  await using platform = await startPlatform('over HTTP', { store })
  const leaving = new AbortController()
  const sent = platform.send('POST', '/api/agents', {
    body: { id: 'a', model: 'test/echo' },
    signal: leaving.signal,
  })
  await reached
  leaving.abort()
  await expect(sent).rejects.toThrow()
  await gone
  expect((await platform.send('GET', '/api/agents')).body).toEqual({ agents: [] })
  expect(platform.errors).toEqual([])
})
