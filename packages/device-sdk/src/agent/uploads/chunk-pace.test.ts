import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDeviceAgent } from '../create-device-agent.ts'
import { list, upload } from '../testing/fake-cloud.ts'

// Digests are made in real time, so only what the agent waits by is fake.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const chunkBytes = 65_536
const content = new Blob([new Uint8Array(6 * chunkBytes)])

/** Takes chunks, but not the first attempt at the second one of each file. */
function createChunkCloud() {
  const calls: { readonly name: 'begin' | 'chunk' | 'complete'; readonly atMs: number }[] = []
  const lost = new Set<string>()
  const fetch = async (url: string): Promise<Response> => {
    const { pathname } = new URL(url)
    const [id = '', ...rest] = pathname.split('/').slice(5)
    if (pathname.endsWith('/heartbeat')) return Response.json({ success: true, status: 'online' })
    if (pathname.endsWith('/search/pending')) return list([])
    if (pathname.endsWith('/upload-requests/pending')) {
      const requests = ['a', 'b', 'c'].map((name) => upload(name))
      return Response.json({ requests }, { headers: { 'upload-chunk-bytes': `${chunkBytes}` } })
    }
    const name = rest[0] === 'chunks' ? 'chunk' : rest[0] === 'complete' ? 'complete' : 'begin'
    calls.push({ name, atMs: Date.now() })
    if (name === 'begin') return Response.json({ id, received: [], settled: false })
    if (name === 'complete')
      return Response.json({ success: true, fileName: 'a', fileUrl: 'https://x.example/a' })
    if (rest[1] !== '1' || lost.has(id)) return Response.json({ success: true, index: Number(rest[1]) })
    lost.add(id)
    throw new TypeError('connection reset')
  }
  const gaps = (names: readonly string[]) => {
    const times = calls.filter(({ name }) => names.includes(name)).map(({ atMs }) => atMs)
    return times.slice(1).map((atMs, index) => atMs - times[index]!)
  }
  return { fetch, gaps }
}

it('C25: sends at most 20 chunks a second, retries included, and 5 of the calls around them', async () => {
  const cloud = createChunkCloud()
  const agent = createDeviceAgent({
    baseUrl: 'https://cloud.example',
    apiKey: 'hw_x',
    fetch: cloud.fetch,
    providers: {},
    files: { open: async () => ({ fileName: 'a', size: content.size, content, close: async () => {} }) },
    uploadConcurrency: 3,
    work: 'poll',
    random: () => 0.5,
  })
  let ended = 0
  agent.on('upload:end', () => void (ended += 1))
  agent.start()
  for (let turn = 0; ended < 3 && turn < 2000; turn += 1) {
    await vi.advanceTimersByTimeAsync(10)
    await setImmediate()
  }
  expect(ended).toBe(3)
  const chunks = cloud.gaps(['chunk'])
  expect(chunks).toHaveLength(3 * 7 - 1)
  expect(Math.min(...chunks)).toBeGreaterThanOrEqual(50)
  const others = cloud.gaps(['begin', 'complete'])
  expect(others).toHaveLength(3 * 2 - 1)
  expect(Math.min(...others)).toBeGreaterThanOrEqual(200)
  await agent.stop()
})
