import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createDeviceAgent } from '@homeward/device-sdk'
import { expect, it } from 'vitest'

const base = 'http://127.0.0.1:3000'
const user = { userId: 'local', origin: base }

it.each([
  // What grows most on the way into JSON and UTF-8, and what does not grow at all.
  ['short', 'report', 1000],
  ['long', '\\"\n語😀'.repeat(300), 700],
])('C18: the cloud takes whatever the device trims: %s names', async (_, name, atMost) => {
  await using cloud = createDeviceCloud({
    store: createMemoryStore(),
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
  })
  const { device, apiKey } = await cloud.registerDevice(user, {
    name: 'device',
    type: 'server',
    platform: 'linux',
    metadata: {},
  })
  const rows = Array.from({ length: 5000 }, (__, index) => ({
    path: `/${index}/${name}`,
    name,
    size: index,
    modified: '2026-01-01T00:00:00.000Z',
  }))
  await using agent = createDeviceAgent({
    baseUrl: base,
    apiKey,
    fetch: (url, init) => cloud.fetch(new Request(url, init), { remoteAddress: '127.0.0.1' }),
    providers: {
      files: async () => ({ found: rows }),
      system: async () => ({ found: { cpu: 'c', memory: 'm', disk: 'd' } }),
    },
  })
  await cloud.createSearches(user, { query: 'x', scope: ['files', 'system'], deviceIds: [device.id] })
  expect(await agent.runOnce()).toMatchObject({ searches: 1, reports: 1 })
  const { results } = await cloud.listSearches(user)
  expect(results).toHaveLength(1)
  expect(results[0]).toMatchObject({
    status: 'completed',
    results: { system: { cpu: 'c' }, truncated: { files: true } },
  })
  const kept = results[0]?.results?.files?.length ?? 0
  expect(kept).toBeGreaterThan(atMost / 2)
  expect(kept).toBeLessThanOrEqual(atMost)
})
