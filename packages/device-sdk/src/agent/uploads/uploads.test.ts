import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryAuditLog } from '../../audit-log/create-memory-audit-log.ts'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { DevicePolicy } from '../../policy/device-policy.ts'
import type { FileSource } from '../../ports/index.ts'
import { list, upload } from '../testing/fake-cloud.ts'
import { apiKey, buildAgent } from '../testing/start-agent.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const close = vi.fn(async () => {})
const bytes = new Uint8Array(3000)
const streamed: FileSource = {
  open: async () => ({
    fileName: 'a.txt',
    size: bytes.length,
    content: new Blob([bytes]).stream() as ReadableStream<Uint8Array>,
    close,
  }),
}
/** Streams are read in real time, which fake timers do not wait for; where times count the file is a Blob. */
const blob: FileSource = {
  open: async () => ({ fileName: 'a.txt', size: bytes.length, content: new Blob([bytes]), close }),
}
const forms = (hits: readonly { body: unknown }[]) => hits.map(({ body }) => body as FormData)

it('uploads a requested file once, tells its progress and releases it', async () => {
  close.mockClear()
  const { cloud, agent, of, names } = buildAgent({ uploads: () => list([upload('u')]) }, { files: streamed })
  agent.start()
  await vi.waitFor(() => expect(of('upload:end')).toHaveLength(1), { timeout: 60_000 })
  await vi.advanceTimersByTimeAsync(120_000)
  const [form, ...more] = forms(cloud.to('upload'))
  expect(more).toEqual([])
  expect(form?.get('requestId')).toBe('u')
  expect(form?.get('file')).toMatchObject({ size: 3000 })
  expect(of('upload:progress').at(-1)).toEqual({ requestId: 'u', sentBytes: 3000, totalBytes: 3000 })
  expect(of('upload:end')).toEqual([
    { requestId: 'u', filePath: '/home/a.txt', fileUrl: 'https://cloud.example/a' },
  ])
  expect(names().indexOf('upload:start')).toBeLessThan(names().indexOf('upload:end'))
  expect(close).toHaveBeenCalledOnce()
  await agent.stop()
})

describe('C6: what the device does not deliver is told to the cloud', () => {
  const missing = new DeviceCloudError('FILE_UNAVAILABLE', 'there is no such file')
  const outside = new DeviceCloudError('POLICY_DENIED', 'the path is outside the open folders')

  const refusals: [string, string, FileSource | undefined, string, DevicePolicy?][] = [
    ['a missing file', '/gone', { open: () => Promise.reject(missing) }, 'there is no such file'],
    [
      'a refused path',
      '/etc',
      { open: () => Promise.reject(outside) },
      'policy_denied: the path is outside the open folders',
    ],
    [
      'a broken source',
      '/a',
      { open: () => Promise.reject(new Error('EIO /secret')) },
      'the file could not be opened',
    ],
    ['no source at all', '/a', undefined, 'policy_denied: this device does not send files'],
    ['a relative path', '../a', blob, 'policy_denied: the path is not absolute'],
    ['a file: URL', 'file:///etc/passwd', blob, 'policy_denied: the path is a URL'],
    [
      'a large file',
      '/a',
      streamed,
      'policy_denied: the file is larger than 2000 bytes',
      { maxUploadBytes: 2000 },
    ],
    ['an owner who says no', '/a', streamed, 'consent_denied', { consent: () => false }],
  ]
  it.each(refusals)('C6: %s', async (_, filePath, files, expected, policy = {}) => {
    const auditLog = createMemoryAuditLog()
    const { cloud, agent, of } = buildAgent(
      { uploads: () => list([upload('u', filePath)]) },
      { auditLog, policy, ...(files ? { files } : {}) },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(
      forms(cloud.to('upload')).map((form) => [form.get('requestId'), form.get('error'), form.has('file')]),
    ).toEqual([['u', expected, false]])
    expect(of('upload:end')).toMatchObject([{ requestId: 'u', error: expected }])
    expect(auditLog.entries()).toMatchObject([
      { action: 'upload', outcome: 'denied', id: 'u', subject: filePath, reason: expected },
    ])
    await agent.stop()
  })

  it('C6: says so when the file is larger than the cloud takes', async () => {
    const { cloud, agent } = buildAgent(
      {
        uploads: () => list([upload('u')]),
        upload: ({ body }) =>
          (body as FormData).has('file')
            ? new Response('', { status: 413 })
            : Response.json({ success: false, error: 'x' }),
      },
      { files: blob },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(300_000)
    expect(forms(cloud.to('upload')).map((form) => form.get('error'))).toEqual([
      null,
      'the file is larger than the cloud accepts',
    ])
    await agent.stop()
  })
})

describe('C6: a file that changes while it is read', () => {
  const changed = new DeviceCloudError('FILE_UNAVAILABLE', 'Reading "a.log" failed: it became longer.')
  const chunkBytes = 65_536
  /** Its chunks cannot be read; as one form the network gives what its stream threw, wrapped as Node does. */
  const changing: FileSource = {
    open: async () => ({
      fileName: 'a.log',
      size: chunkBytes + 1,
      content: new Blob([new Uint8Array(chunkBytes + 1)]),
      read: () => Promise.reject(changed),
      close,
    }),
  }
  const breaks = () => Promise.reject(new TypeError('fetch failed', { cause: changed }))
  const refused = () => Response.json({ success: false, error: 'x' })

  it.each([
    ['as one form', {}, [null, null, null, changed.message]],
    ['in chunks', { 'upload-chunk-bytes': `${chunkBytes}` }, [changed.message]],
  ])('C6: is tried three times and then refused with the reason: %s', async (_, headers, sent) => {
    const { cloud, agent, of } = buildAgent(
      {
        uploads: () => Response.json({ requests: [upload('u')] }, { headers }),
        upload: ({ body }) => ((body as FormData).has('file') ? breaks() : refused()),
      },
      { files: changing },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(of('upload:error')).toEqual([
      { requestId: 'u', error: changed, retryInMs: 5000 },
      { requestId: 'u', error: changed, retryInMs: 10_000 },
    ])
    expect(forms(cloud.to('upload')).map((form) => form.get('error'))).toEqual(sent)
    expect(of('upload:end')).toHaveLength(1)
    await agent.stop()
  })

  it('C6: is not refused for what the line did', async () => {
    const answers = [
      ...[1, 2, 3].map(() => () => Promise.reject(new Error('ECONNRESET'))),
      breaks,
      breaks,
      () => Response.json({ success: true, fileName: 'a', fileUrl: 'https://cloud.example/a' }),
    ]
    const { agent, of } = buildAgent(
      { uploads: () => list([upload('u')]), upload: () => answers.shift()!() },
      { files: blob },
    )
    agent.start()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(of('upload:error').map(({ error }) => error.code)).toEqual([
      'UNREACHABLE',
      'UNREACHABLE',
      'UNREACHABLE',
      'FILE_UNAVAILABLE',
      'FILE_UNAVAILABLE',
    ])
    expect(of('upload:end')).toMatchObject([{ fileUrl: 'https://cloud.example/a' }])
    await agent.stop()
  })
})

it('The device has the last word: writes down what it gave away', async () => {
  const auditLog = createMemoryAuditLog()
  const { agent } = buildAgent({ uploads: () => list([upload('u')]) }, { files: blob, auditLog })
  agent.start()
  await vi.advanceTimersByTimeAsync(1000)
  expect(auditLog.entries()).toMatchObject([{ action: 'upload', outcome: 'allowed', subject: '/home/a.txt' }])
  expect(JSON.stringify(auditLog.entries())).not.toContain(apiKey)
  await agent.stop()
})

it('tries a file that fails again with its own back-off, and the others are not held up', async () => {
  const { cloud, agent, of } = buildAgent(
    {
      uploads: () => list([upload('bad'), upload('good')]),
      upload: ({ body }) =>
        (body as FormData).get('requestId') === 'bad'
          ? new Response('', { status: 500 })
          : Response.json({ success: true, fileName: 'a', fileUrl: 'https://cloud.example/a' }),
    },
    { files: blob, uploadConcurrency: 1 },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  const tried = forms(cloud.to('upload')).map((form) => form.get('requestId'))
  expect(tried.slice(0, 2)).toEqual(['bad', 'good'])
  expect(tried.filter((id) => id === 'good')).toHaveLength(1)
  expect(tried.filter((id) => id === 'bad').length).toBeGreaterThan(4)
  expect(tried.filter((id) => id === 'bad').length).toBeLessThan(10)
  expect(
    of('upload:error')
      .map(({ retryInMs }) => retryInMs)
      .slice(0, 4),
  ).toEqual([5000, 10_000, 20_000, 40_000])
  await agent.stop()
})

it('C4: sends a file again that broke off, though the cloud lists it no more while it keeps the lease', async () => {
  let attempts = 0
  const { cloud, agent, of } = buildAgent(
    {
      uploads: () => list(attempts === 0 ? [upload('u')] : []),
      upload: () =>
        ++attempts < 3
          ? Promise.reject(new Error('ECONNRESET'))
          : Response.json({ success: true, fileName: 'a', fileUrl: 'https://cloud.example/a' }),
    },
    { files: blob },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(16_000)
  const times = cloud.to('upload').map(({ atMs }) => Math.round((atMs - cloud.hits[0]!.atMs) / 1000))
  expect(times).toEqual([0, 5, 15])
  expect(of('upload:end')).toMatchObject([{ requestId: 'u', fileUrl: 'https://cloud.example/a' }])
  await agent.stop()
})

it('The agent: takes a 200 that is not the documented body for no upload', async () => {
  const { cloud, agent, of } = buildAgent(
    { uploads: () => list([upload('u')]), upload: () => new Response('<html>') },
    { files: blob },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(6000)
  expect(cloud.to('upload')).toHaveLength(2)
  expect(of('upload:end')).toEqual([])
  await agent.stop()
})

it('C12: sends at most 5 uploads a second, and none while the cloud asks to wait', async () => {
  const requests = Array.from({ length: 20 }, (_, index) => upload(`u${index}`))
  const { cloud, agent } = buildAgent(
    { uploads: () => list(requests) },
    { files: blob, uploadConcurrency: 20 },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(990)
  expect(cloud.to('upload')).toHaveLength(5)
  await vi.advanceTimersByTimeAsync(4000)
  expect(cloud.to('upload')).toHaveLength(20)
  await agent.stop()

  const busy = buildAgent(
    {
      uploads: () => list(requests),
      upload: () => new Response('', { status: 429, headers: { 'retry-after': '60' } }),
    },
    { files: blob, uploadConcurrency: 1 },
  )
  busy.agent.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(busy.cloud.to('upload')).toHaveLength(1)
  await busy.agent.stop()
})

it.each([400, 403, 404])('C17: never sends a file again after %i', async (code) => {
  const { cloud, agent, of } = buildAgent(
    { uploads: () => list([upload('u')]), upload: () => new Response('', { status: code }) },
    { files: blob },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(300_000)
  expect(cloud.to('upload')).toHaveLength(1)
  expect(of('upload:error')).toHaveLength(1)
  await agent.stop()
})

it('stops even when the source of files hangs', async () => {
  const { agent } = buildAgent(
    { uploads: () => list([upload('u')]) },
    { files: { open: () => new Promise(() => {}) } },
  )
  agent.start()
  await vi.advanceTimersByTimeAsync(100)
  await agent.stop()
})
