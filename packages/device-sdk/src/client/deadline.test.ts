import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createDeviceClient, type DeviceClient } from '../index.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const file = { fileName: 'a', size: 3, content: new Blob(['abc']) }
const endless = () => ({ ...file, content: new ReadableStream<Uint8Array>() })
const calls: [string, (client: DeviceClient) => Promise<unknown>][] = [
  ['a heartbeat', (client) => client.sendHeartbeat({})],
  ['a held poll for searches', (client) => client.listPendingSearches({ waitSeconds: 60 })],
  ['a held poll for uploads', (client) => client.listPendingUploads({ waitSeconds: 60 })],
  ['a report', (client) => client.reportSearch({ queryId: 'q', results: {} })],
  ['a small upload', (client) => client.uploadFile({ requestId: 'u', file })],
  ['an upload whose file gives nothing', (client) => client.uploadFile({ requestId: 'u', file: endless() })],
]

it.each(calls)('The agent: gives %s up after 90 s, whatever it was told', async (_, call) => {
  const client = createDeviceClient({
    baseUrl: 'https://cloud.example',
    apiKey: 'hw_x',
    timeoutMs: 3_600_000,
    fetch: () => new Promise(() => {}),
  })
  const ended = vi.fn()
  const outcome = expect(call(client).finally(ended)).rejects.toMatchObject({ code: 'TIMEOUT' })
  await vi.advanceTimersByTimeAsync(89_000)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2000)
  await outcome
})
