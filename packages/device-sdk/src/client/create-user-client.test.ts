import { expect, it, vi } from 'vitest'
import { createUserClient, DeviceCloudError } from '../index.ts'

it('has the operations of a session, and no others', () => {
  const dashboard = createUserClient({ baseUrl: 'https://cloud.example' })
  expect(Object.keys(dashboard)).toContain('createSearches')
  expect(Object.keys(dashboard)).not.toContain('sendHeartbeat')
})

it('sends the session and throws the error of this package', async () => {
  const fetch = vi.fn(async (_: string, init: RequestInit) =>
    new Headers(init.headers).get('cookie') === 'session=1'
      ? Response.json({ error: 'Device not found' }, { status: 404 })
      : Response.json({ error: 'Unauthorized' }, { status: 401 }),
  )
  const dashboard = createUserClient({
    baseUrl: 'https://cloud.example',
    fetch,
    headers: { cookie: 'session=1' },
  })
  const error: unknown = await dashboard
    .deleteDevice({ params: { id: 'd' } })
    .catch((reason: unknown) => reason)
  expect(DeviceCloudError.is(error) && error.code).toBe('NOT_FOUND')
  expect(fetch).toHaveBeenCalledOnce()
})
