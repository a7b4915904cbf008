import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { deviceCloudOperations } from '../device-cloud/operations.ts'
import { mockHandlers } from './mock-handlers.ts'
import type { MockReplies } from './mock-reply.ts'

const baseUrl = 'https://cloud.example'
const server = setupServer()
const mock = (replies: MockReplies<typeof deviceCloudOperations>) => {
  server.use(...mockHandlers(deviceCloudOperations, { baseUrl, replies }))
}
const call = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(baseUrl + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  return { status: response.status, body: (await response.json()) as unknown }
}

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

describe('mockHandlers', () => {
  it('answers an operation with a fixed body, every time, under its documented status', async () => {
    mock({
      listPendingSearches: { requests: [] },
      createSearches: { success: true, groupId: 'g', searchQueries: [], message: 'None.' },
    })
    expect(await call('GET', '/api/devices/search/pending')).toEqual({ status: 200, body: { requests: [] } })
    expect(await call('GET', '/api/devices/search/pending')).toEqual({ status: 200, body: { requests: [] } })
    const created = await call('POST', '/api/devices/search/query', {
      query: 'a',
      scope: ['files'],
      deviceIds: ['d1'],
    })
    expect(created.status).toBe(201)
  })

  it('gives a function the call as the real service parses it', async () => {
    mock({
      cancelUpload: ({ params }) => ({ success: true, id: params.id, status: 'canceled' }),
      listUploads: ({ query }) => ({ results: [], nextCursor: `after-${query.limit}` }),
      createSearches: ({ body }) => ({
        success: true,
        groupId: 'g',
        searchQueries: [],
        message: body.scope.join('+'),
      }),
    })
    expect((await call('DELETE', '/api/devices/files/upload-requests/u1')).body).toMatchObject({ id: 'u1' })
    expect((await call('GET', '/api/devices/files/upload-requests?limit=7')).body).toMatchObject({
      nextCursor: 'after-7',
    })
    const created = await call('POST', '/api/devices/search/query', {
      query: 'a',
      scope: ['files', 'files', 'apps'],
      deviceIds: ['d1'],
    })
    expect(created.body).toMatchObject({ message: 'files+apps' })
  })

  it('leaves the body of a form to the function', async () => {
    mock({
      uploadFile: async ({ request }) => {
        const form = await request.formData()
        const error = form.get('error')
        return { success: false, error: typeof error === 'string' ? error : 'no text' }
      },
    })
    const form = new FormData()
    form.set('error', 'no such file')
    const response = await fetch(`${baseUrl}/api/devices/files/upload`, { method: 'POST', body: form })
    expect(await response.json()).toEqual({ success: false, error: 'no such file' })
  })

  it('prefers the concrete path over the one with parameters, in whatever order they are named', async () => {
    mock({
      downloadFile: () => new Response('bytes'),
      listPendingUploads: { requests: [] },
    })
    expect(await call('GET', '/api/devices/files/upload-requests/pending')).toEqual({
      status: 200,
      body: { requests: [] },
    })
    expect(await (await fetch(`${baseUrl}/api/devices/files/f1/a.txt`)).text()).toBe('bytes')
  })

  it('answers errors with their body and headers', async () => {
    mock({
      sendHeartbeat: { status: 429, body: { error: 'Rate limit exceeded' }, headers: { 'retry-after': '7' } },
      reportSearch: () => ({ status: 404, body: { error: 'Search query not found' } }),
    })
    const response = await fetch(`${baseUrl}/api/devices/heartbeat`, {
      method: 'POST',
      body: '{"metadata":{}}',
    })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await call('POST', '/api/devices/search', { queryId: 'q' })).toEqual({
      status: 404,
      body: { error: 'Search query not found' },
    })
  })

  it('refuses what the real service refuses, before the reply is made', async () => {
    const reply = vi.fn(() => ({ success: true, status: 'online' }))
    mock({ sendHeartbeat: reply })
    const refused = await call('POST', '/api/devices/heartbeat', { metadata: 7 })
    expect(refused).toEqual({
      status: 400,
      body: { error: 'Validation error', message: expect.stringContaining('metadata') },
    })
    expect(reply).not.toHaveBeenCalled()
    mock({ listDevices: { devices: [] } })
    expect(await call('GET', '/api/devices?limit=1&limit=2')).toEqual({
      status: 400,
      body: { error: 'Validation error', message: 'limit: must be given only once in the query' },
    })
  })

  it('leaves every operation that is not named alone', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    mock({ listPendingSearches: { requests: [] } })
    await expect(fetch(`${baseUrl}/api/devices`)).rejects.toThrow()
  })

  it('refuses a fixed answer that is not the documented reply, or an operation that does not exist', () => {
    // @ts-expect-error a request has a query, a scope and a time
    expect(() => mock({ listPendingSearches: { requests: [{ id: 'q1' }] } })).toThrow(
      'Mocking listPendingSearches failed',
    )
    // @ts-expect-error no such operation
    expect(() => mock({ listNothing: {} })).toThrow(
      'Mocking listNothing failed: the table has no such operation',
    )
    // @ts-expect-error a download has bytes for a body
    expect(() => mock({ downloadFile: { bytes: 1 } })).toThrow('Pass a Response')
  })

  it('fails the call for which a function made something other than the documented reply', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    // @ts-expect-error status is text
    mock({ sendHeartbeat: () => ({ success: true, status: 1 }) })
    const drifted = await call('POST', '/api/devices/heartbeat', { metadata: {} })
    expect(drifted.status).toBe(500)
    expect(drifted.body).toMatchObject({ message: expect.stringContaining('Mocking sendHeartbeat failed') })
  })
})
