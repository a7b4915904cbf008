import { createUserClient, createDeviceClient, type UserClient } from '@homeward/device-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { faces, openCloud, type FacedCloud } from './cloud-faces.ts'

const results = {
  files: [{ path: '/home/ada/notes.txt', name: 'notes.txt', size: 12, modified: '2026-01-01T00:00:00Z' }],
  mine: { of: 'an integrator' },
}

describe.each(faces)('the clients over $transport and $store', (face) => {
  let faced: FacedCloud
  let dashboard: UserClient
  beforeEach(async () => {
    faced = await openCloud(face)
    dashboard = createUserClient({ baseUrl: faced.baseUrl, fetch: faced.fetch })
  })
  afterEach(async () => {
    expect(faced.errors).toEqual([])
    await faced[Symbol.asyncDispose]()
  })

  async function register() {
    const body = { name: 'Laptop', type: 'laptop', platform: 'linux' }
    const { device, apiKey } = await dashboard.registerDevice({ body })
    const own = createDeviceClient({ baseUrl: faced.baseUrl, fetch: faced.fetch, apiKey })
    return { id: device.id, apiKey, own }
  }

  it('carries a search to its device and the results back', async () => {
    const { id, own } = await register()
    expect(await own.sendHeartbeat({ os: 'Linux' })).toMatchObject({ status: 'online' })
    const created = await dashboard.createSearches({
      body: { query: 'notes', scope: ['files', 'mine'], deviceIds: [id] },
    })
    const [search] = created.searchQueries
    const pending = await own.listPendingSearches()
    expect(pending).toMatchObject({ requests: [{ id: search!.id, query: 'notes' }], waitApplied: false })
    expect(await own.reportSearch({ queryId: search!.id, results })).toEqual({
      success: true,
      queryId: search!.id,
      status: 'completed',
    })
    const { results: rows } = await dashboard.listSearches({ query: { deviceId: id } })
    expect(rows).toMatchObject([{ status: 'completed', results, device: { name: 'Laptop' } }])
  })

  it.each([
    ['a Blob', (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes])],
    ['a stream', (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream()],
  ])('C22: wakes a held poll by an upload request, and carries the file (%s)', async (_, toContent) => {
    const { id, own } = await register()
    const held = own.listPendingUploads({ waitSeconds: 60 })
    await dashboard.createUploads({ body: { deviceIds: [id], filePath: '/home/ada/文件.bin' } })
    const { requests, waitApplied } = await held
    expect([requests[0]?.filePath, waitApplied]).toEqual(['/home/ada/文件.bin', true])
    const bytes = Uint8Array.from({ length: 1_000_000 }, (_byte, index) => index % 253)
    const file = { fileName: '文件.bin', size: bytes.length, content: toContent(bytes) }
    const stored = await own.uploadFile({ requestId: requests[0]!.id, file })
    expect(stored).toMatchObject({ success: true, fileName: '文件.bin' })
    const [row] = (await dashboard.listUploads()).results
    expect(row).toMatchObject({ status: 'completed', size: bytes.length, fileName: '文件.bin' })
    const [, blobId] = /files\/([^/]+)\//.exec(row!.fileUrl!)!
    const content = await dashboard.downloadFile({ params: { id: blobId!, fileName: row!.fileName! } })
    expect(Buffer.from(await new Response(content).arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('tells errors apart by their codes', async () => {
    const { id, own } = await register()
    const refused = createDeviceClient({
      baseUrl: faced.baseUrl,
      fetch: faced.fetch,
      apiKey: `hw_${'x'.repeat(43)}`,
    })
    await expect(refused.sendHeartbeat({})).rejects.toMatchObject({ code: 'UNAUTHORIZED', retryable: false })
    const unknown = own.reportSearch({ queryId: 'unknown', results: {} })
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
    const wrong = dashboard.createSearches({ body: { query: ' ', scope: ['files'], deviceIds: [id] } })
    await expect(wrong).rejects.toMatchObject({ code: 'REJECTED', status: 400, retryable: false })
    const beats = Array.from({ length: 30 }, () => own.sendHeartbeat({}))
    const outcomes = await Promise.allSettled(beats)
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) {
      expect(reason).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
      expect((reason as { retryAfterMs: number }).retryAfterMs % 1000).toBe(0)
    }
  })

  it('C15: knows a rotated key from a refused one, and a deleted device from both', async () => {
    const { id, apiKey } = await register()
    let current = apiKey
    const own = createDeviceClient({ baseUrl: faced.baseUrl, fetch: faced.fetch, apiKey: () => current })
    const rotated = await dashboard.rotateDeviceKey({ params: { id } })
    const hidden = dashboard.revealDeviceKey({ params: { id } })
    await expect(hidden).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const fresh = createDeviceClient({ baseUrl: faced.baseUrl, fetch: faced.fetch, ...rotated })
    await fresh.sendHeartbeat({})
    await expect(own.sendHeartbeat({})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    expect(await own.hasNewKey()).toBe(false)
    current = rotated.apiKey
    expect(await own.hasNewKey()).toBe(true)
    expect((await own.sendHeartbeat({})).success).toBe(true)
    await dashboard.deleteDevice({ params: { id } })
    await expect(own.sendHeartbeat({})).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('gives a held poll up when its signal aborts, and the cloud makes room', async () => {
    const { id, own } = await register()
    for (let round = 0; round < 6; round += 1) {
      const gone = new AbortController()
      const held = own.listPendingSearches({ waitSeconds: 60 }, gone.signal)
      gone.abort(new Error('enough'))
      await expect(held).rejects.toThrow('enough')
    }
    const held = own.listPendingSearches({ waitSeconds: 60 })
    await dashboard.createSearches({ body: { query: 'a', scope: ['files'], deviceIds: [id] } })
    expect((await held).requests).toHaveLength(1)
  })
})
