import type { DeviceCloudOptions } from '@homeward/cloud-core'
import { describe, expect, it } from 'vitest'
import { createTestCloud, type TestCloud } from '../cloud/test-cloud.ts'
import { generations, openMcpClient, type Generation } from './mcp-clients.ts'

async function start(options: Partial<DeviceCloudOptions> = {}) {
  const test = await createTestCloud('memory', options)
  return {
    ...test,
    open: (generation: Generation = 'version 2', headers: Record<string, string> = {}) =>
      openMcpClient(generation, {
        url: 'http://127.0.0.1:3000/mcp',
        headers,
        fetch: (url, init) => test.cloud.fetch(new Request(url, init), { remoteAddress: '127.0.0.1' }),
      }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

type Device = Awaited<ReturnType<TestCloud['register']>>

const file = (path: string) => ({
  path,
  name: path.split('/').at(-1),
  size: 3,
  modified: '2026-01-01T00:00:00Z',
})

/** Answers the next search of a device, once there is one. */
async function answer(test: TestCloud, { headers }: Device, results: object): Promise<void> {
  const pending = async () =>
    (await test.send('GET', '/api/devices/search/pending', { headers })).body.requests
  await expect.poll(async () => (await pending())?.length).toBe(1)
  const [{ id: queryId } = { id: '' }] = (await pending()) ?? []
  await test.send('POST', '/api/devices/search', { body: { queryId, results, error: null }, headers })
}

/** Uploads the next file that a device is asked for. */
async function upload(
  test: TestCloud,
  { headers }: Device,
  bytes: Uint8Array<ArrayBuffer> | string,
): Promise<void> {
  const pending = async () =>
    (await test.send('GET', '/api/devices/files/upload-requests/pending', { headers })).body.requests
  await expect.poll(async () => (await pending())?.length).toBe(1)
  const form = new FormData()
  form.append('requestId', (await pending())?.[0]?.id ?? '')
  form.append('file', new Blob([bytes]), 'notes.txt')
  const { status } = await test.send('POST', '/api/devices/files/upload', { body: form, headers })
  expect(status).toBe(200)
}

it('finds the newest version of a document on any of the devices', async () => {
  await using test = await start()
  await using client = await test.open()
  const devices = [await test.register('laptop'), await test.register('desk'), await test.register('nas')]
  const asked = {
    query: 'contract',
    where: { kind: ['document'] },
    sort: '-modified',
    limit: 5,
    wait_seconds: 60,
  }
  const searching = client.call('search_devices', asked)
  const versions = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-01-01T00:00:00Z']
  for (const [at, device] of devices.entries()) {
    const contract = { ...file('/home/ann/contract.docx'), modified: versions[at] }
    await answer(test, device, { files: [file('/home/ann/contract.mp4'), contract] })
  }
  const { value } = await searching
  const rows = value['results'] as readonly { device: string; path: string }[]
  expect(rows.map(({ device }) => device)).toEqual(['desk', 'laptop', 'nas'])
  expect(rows.every((row) => row.path.endsWith('.docx'))).toBe(true)
})

describe.each(generations)('devices as tools of an MCP client of %s', (generation) => {
  it('searches devices, waits for them, and gives what was found', async () => {
    await using test = await start()
    await using client = await test.open(generation)
    const device = await test.register('laptop')
    expect((await client.tools()).map(({ name }) => name)).toEqual([
      'list_devices',
      'search_devices',
      'get_search',
      'request_file',
      'get_file',
    ])
    expect((await client.call('list_devices')).value).toMatchObject({
      total: 1,
      devices: [{ id: device.id, name: 'laptop' }],
    })
    const searching = client.call('search_devices', { query: 'report', wait_seconds: 60 })
    await answer(test, device, { files: [file('/home/ann/report.pdf')] })
    const { value, progress } = await searching
    expect(value).toMatchObject({
      status: 'done',
      devices: { total: 1, pending: 0, completed: 1, failed: 0 },
      found: 1,
      results: [{ device_id: device.id, device: 'laptop', path: '/home/ann/report.pdf' }],
    })
    expect(progress[0]).toMatchObject({ total: 1, message: '0 of 1 devices have answered' })
    expect((await client.call('get_search', { id: value.id })).value).toEqual(value)
  })

  it('requests a file, and gives its text in parts', async () => {
    await using test = await start()
    await using client = await test.open(generation)
    const device = await test.register()
    const text = Array.from({ length: 900 }, (_, place) => `Zeile ${place}: süß\n`).join('')
    const requesting = client.call('request_file', {
      device_id: device.id,
      path: '/notes.txt',
      wait_seconds: 60,
    })
    await upload(test, device, text)
    const { value } = await requesting
    expect(value).toMatchObject({
      device_id: device.id,
      path: '/notes.txt',
      status: 'completed',
      file_name: 'notes.txt',
    })
    let read = ''
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const part = await client.call('get_file', { id: value.id, offset })
      expect(part.text.length).toBeLessThan(6000)
      read += part.value.text
      offset = part.value.next_offset
    }
    expect(read).toBe(text)
    const actions = (await test.send('GET', '/api/audit')).body['entries'] as { action: string }[]
    expect(actions.map(({ action }) => action)).toContain('file:downloaded')
  })
})

it('answers before the devices do, and later with what has come', async () => {
  await using test = await start()
  await using client = await test.open()
  const device = await test.register()
  const { value } = await client.call('search_devices', { query: 'x', scope: 'files', wait_seconds: 0 })
  expect(value).toMatchObject({ status: 'pending', devices: { pending: 1 }, results: [] })
  expect(value.notes.join()).toContain('Call get_search')
  await answer(test, device, { files: [file('/x')] })
  expect((await client.call('get_search', { id: value.id })).value).toMatchObject({
    status: 'done',
    found: 1,
  })
})

it('keeps a large result below 2,000 tokens, and gives the rest on request', async () => {
  await using test = await start()
  await using client = await test.open()
  const device = await test.register()
  const { value } = await client.call('search_devices', { query: 'x', wait_seconds: 0 })
  const files = Array.from({ length: 500 }, (_, place) => file(`/home/ann/documents/${place}/x.txt`))
  await answer(test, device, { files, truncated: { files: true } })
  const seen: string[] = []
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const part = await client.call('get_search', { id: value.id, offset })
    expect(part.text.length).toBeLessThan(5500)
    expect(part.value).toMatchObject({ found: 500 })
    seen.push(...part.value.results.map(({ path }: { path: string }) => path))
    offset = part.value.next_offset
  }
  expect(seen).toEqual(files.map(({ path }) => path))
})

it('shows a small picture, and says where other files are', async () => {
  await using test = await start()
  await using client = await test.open()
  const device = await test.register()
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...new Uint8Array(9000)])
  const fetchFile = async (bytes: Uint8Array<ArrayBuffer>) => {
    const requesting = client.call('request_file', { device_id: device.id, path: '/a', wait_seconds: 60 })
    await upload(test, device, bytes)
    return client.call('get_file', { id: (await requesting).value.id })
  }
  const picture = await fetchFile(png)
  expect(picture.content[1]).toEqual({
    type: 'image',
    mimeType: 'image/png',
    data: Buffer.from(png).toString('base64'),
  })
  const binary = await fetchFile(new Uint8Array([0, 1, 2, 255]))
  expect(binary.content).toHaveLength(1)
  expect(binary.value).toMatchObject({
    content_note: expect.stringContaining('url'),
    url: expect.stringContaining('/api/devices/files/'),
  })
})

it('C30: a token can do by MCP what it can do by HTTP, under its own name in the audit', async () => {
  await using test = await start()
  const device = await test.register()
  const open = async (may: string[]) => {
    const { body } = await test.send('POST', '/api/tokens', { body: { name: may.join('+'), may } })
    return test.open('version 2', { authorization: `Bearer ${String(body['secret'])}` })
  }
  await using reader = await open(['read'])
  expect((await reader.call('list_devices')).value.total).toBe(1)
  const refused = await reader.call('request_file', { device_id: device.id, path: '/a', wait_seconds: 0 })
  expect([refused.isError, refused.value]).toMatchObject([
    true,
    { status: 403, error: expect.stringContaining('"fetch"') },
  ])
  await using fetcher = await open(['read', 'fetch'])
  expect(
    (await fetcher.call('request_file', { device_id: device.id, path: '/a', wait_seconds: 0 })).isError,
  ).toBe(false)
  const { body } = await test.send('GET', '/api/audit?actor=token:read%2Bfetch')
  expect(body['entries']).toMatchObject([{ action: expect.stringMatching(/^upload|^file/) }])
  await expect(test.open('version 2', { authorization: `Bearer hwt_${'x'.repeat(43)}` })).rejects.toThrow()
})

it('C20: answers what belongs to nobody as what was never there', async () => {
  await using test = await start()
  await using client = await test.open()
  for (const [name, args] of [
    ['get_search', { id: 'nothing' }],
    ['get_file', { id: 'nothing' }],
    ['search_devices', { query: 'x', device_ids: ['nothing'] }],
    ['request_file', { device_id: 'nothing', path: '/x' }],
  ] as const) {
    const { isError, value } = await client.call(name, args)
    expect([name, isError, value.status]).toEqual([name, true, 404])
  }
  expect((await client.call('search_devices', { query: 'x' })).value.error).toContain('no devices yet')
})
