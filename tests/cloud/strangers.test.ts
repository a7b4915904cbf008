import { createHash } from 'node:crypto'
import { deviceCloudOperations, type DeviceCloudOperationId } from '@homeward/contract/device-cloud'
import type { Sessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type StoreKind } from './test-cloud.ts'

/** Users say who they are: what is tested is what they may see, not how they are recognised. */
const sessions: Sessions = {
  resolve(request) {
    const userId = request.header('x-user')
    return userId === undefined ? null : { userId }
  },
}

/** Ids of everything that Ann owns, or ids of the same form that nobody has. */
interface Known {
  readonly device: string
  readonly search: string
  readonly group: string
  readonly saved: string
  readonly upload: string
  readonly file: string
  /** A device that came with Ann's token, and waits for her. */
  readonly enrollment: string
  readonly code: string
  readonly enrollmentToken: string
  readonly token: string
  readonly webhook: string
}

/** Requests of one operation, as somebody sends them who learned some ids. */
type Requests = (known: Known) => readonly { readonly path: string; readonly body?: object }[]

/** One entry for every operation of a user: an operation that is missing here does not compile. */
type UserOperationId = {
  [Id in DeviceCloudOperationId]: (typeof deviceCloudOperations)[Id]['auth'] extends 'session' ? Id : never
}[DeviceCloudOperationId]

const savedSearch = { name: 'n', query: 'q', scope: ['files'], filter: {} }

const requests: Readonly<Record<UserOperationId, Requests>> = {
  // one message for each tool that takes an id
  callDeviceTools: ({ device, search, group, upload }) =>
    [
      ['search_devices', { query: 'x', device_ids: [device], wait_seconds: 0 }],
      ['get_search', { id: search }],
      ['get_search', { id: group }],
      ['request_file', { device_id: device, path: '/x', wait_seconds: 0 }],
      ['get_file', { id: upload }],
    ].map(([name, args]) => ({
      path: '/mcp',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    })),
  // numbers of the process, of nobody's devices
  readMetrics: () => [],
  listQuotas: () => [],
  listDevices: ({ device }) => [{ path: '/api/devices' }, { path: `/api/devices?text=${device}` }],
  getDevice: ({ device }) => [{ path: `/api/devices/${device}` }],
  getDevicePresence: ({ device }) => [{ path: `/api/devices/${device}/presence` }],
  updateDevice: ({ device }) => [
    { path: `/api/devices/${device}`, body: { name: 'mine', labels: ['mine'] } },
  ],
  updateDevices: ({ device }) => [
    { path: '/api/devices', body: { deviceIds: [device], labels: { add: ['mine'] } } },
    { path: '/api/devices', body: { filter: {}, labels: { add: ['mine'] } } },
  ],
  deleteDeviceCatalog: ({ device }) => [{ path: `/api/devices/${device}/catalog` }],
  deleteDevices: ({ device }) => [{ path: '/api/devices', body: { deviceIds: [device] } }],
  registerDevice: () => [],
  createSearches: ({ device }) => [
    { path: '/api/devices/search/query', body: { query: 'x', scope: ['files'], deviceIds: [device] } },
  ],
  listSearches: ({ device, search, group }) => [
    { path: '/api/devices/search/query' },
    { path: `/api/devices/search/query?queryId=${search}` },
    { path: `/api/devices/search/query?deviceId=${device}` },
    { path: `/api/devices/search/query?deviceId=${device}&queryId=${search}&status=completed` },
    { path: `/api/devices/search/query?groupId=${group}` },
  ],
  deleteSearch: ({ search }) => [{ path: `/api/devices/search/query/${search}` }],
  listSearchGroups: () => [{ path: '/api/devices/search/groups' }],
  getSearchGroup: ({ group }) => [{ path: `/api/devices/search/groups/${group}` }],
  deleteSearchGroup: ({ group }) => [{ path: `/api/devices/search/groups/${group}` }],
  createSavedSearch: () => [],
  listSavedSearches: () => [{ path: '/api/devices/saved-searches' }],
  getSavedSearch: ({ saved }) => [{ path: `/api/devices/saved-searches/${saved}` }],
  updateSavedSearch: ({ saved }) => [{ path: `/api/devices/saved-searches/${saved}`, body: savedSearch }],
  deleteSavedSearch: ({ saved }) => [{ path: `/api/devices/saved-searches/${saved}` }],
  runSavedSearch: ({ saved }) => [{ path: `/api/devices/saved-searches/${saved}/run` }],
  listSavedSearchChanges: ({ saved }) => [{ path: `/api/devices/saved-searches/${saved}/changes` }],
  exportSearchGroup: ({ group }) => [{ path: `/api/devices/search/groups/${group}/export` }],
  createUploads: ({ device }) => [
    { path: '/api/devices/files/upload-requests', body: { deviceIds: [device], filePath: '/a.txt' } },
  ],
  listUploads: ({ device, upload }) => [
    { path: '/api/devices/files/upload-requests' },
    { path: `/api/devices/files/upload-requests?requestId=${upload}` },
    { path: `/api/devices/files/upload-requests?deviceId=${device}` },
    { path: `/api/devices/files/upload-requests?deviceId=${device}&status=completed` },
  ],
  cancelUpload: ({ upload }) => [{ path: `/api/devices/files/upload-requests/${upload}` }],
  downloadFile: ({ file }) => [{ path: `/api/devices/files/${file}/notes.txt` }],
  revealDeviceKey: ({ device }) => [{ path: `/api/devices/${device}/key` }],
  rotateDeviceKey: ({ device }) => [{ path: `/api/devices/${device}/rotate-key` }],
  deleteDevice: ({ device }) => [{ path: `/api/devices/${device}` }],
  findEnrollment: ({ code }) => [{ path: `/api/devices/enrollments?code=${code}` }],
  approveEnrollment: ({ enrollment }) => [{ path: `/api/devices/enrollments/${enrollment}/approve` }],
  denyEnrollment: ({ enrollment }) => [{ path: `/api/devices/enrollments/${enrollment}/deny` }],
  createEnrollmentToken: () => [],
  listEnrollmentTokens: () => [{ path: '/api/devices/enrollment-tokens' }],
  revokeEnrollmentToken: ({ enrollmentToken: id }) => [{ path: `/api/devices/enrollment-tokens/${id}` }],
  createToken: () => [],
  // each export has an entry more: owners.test.ts holds what is in it
  exportOwner: () => [],
  eraseOwner: () => [{ path: '/api/owner' }],
  listTokens: () => [{ path: '/api/tokens' }],
  deleteToken: ({ token }) => [{ path: `/api/tokens/${token}` }],
  createWebhook: () => [],
  listWebhooks: () => [{ path: '/api/webhooks' }],
  getWebhook: ({ webhook }) => [{ path: `/api/webhooks/${webhook}` }],
  updateWebhook: ({ webhook }) => [{ path: `/api/webhooks/${webhook}`, body: { enabled: false } }],
  deleteWebhook: ({ webhook }) => [{ path: `/api/webhooks/${webhook}` }],
  testWebhook: ({ webhook }) => [{ path: `/api/webhooks/${webhook}/test` }],
  listWebhookDeliveries: ({ webhook }) => [{ path: `/api/webhooks/${webhook}/deliveries` }],
  streamDeviceEvents: () => [{ path: '/api/devices/events' }],
  listAudit: ({ device }) => [{ path: '/api/audit' }, { path: `/api/audit?deviceId=${device}` }],
}

/** The operations, from the table itself: a row that is added there is walked here. */
const operationIds = Object.entries(deviceCloudOperations)
  .filter(([, operation]) => operation.auth === 'session')
  .map(([id]) => id as UserOperationId) // its `auth` was looked at

async function start(kind: StoreKind) {
  const test = await createTestCloud(kind, {
    sessions,
    chunks: createMemoryBlobs(),
    webhooks: { check: async () => undefined, send: async () => ({ status: 204 }) },
    keySecret: 'a secret of sixteen characters',
  })
  const as = (user: string, method: string, path: string, body?: object) =>
    test.send(method, path, { headers: { 'x-user': user }, ...(body && { body }) })
  const register = async (user: string) => {
    const answer = await as(user, 'POST', '/api/devices', {
      name: `device of ${user}`,
      type: 'laptop',
      platform: 'linux',
      metadata: { os: `os of ${user}` },
    })
    const { device, apiKey } = answer.body as unknown as { device: { id: string }; apiKey: string }
    return { id: device.id, apiKey }
  }

  /** A search with results, and a file: all that a user can have. */
  async function fill(user: string): Promise<Known & { readonly apiKey: string }> {
    const { id: device, apiKey } = await register(user)
    const headers = { authorization: `Bearer ${apiKey}` }
    const searches = await as(user, 'POST', '/api/devices/search/query', {
      query: `query of ${user}`,
      scope: ['files'],
      deviceIds: [device],
    })
    const search = searches.body.searchQueries![0]!.id
    const group = String(searches.body['groupId'])
    const report = { queryId: search, results: { files: [] }, error: null }
    await test.send('POST', '/api/devices/search', { body: report, headers })
    const asked = { deviceIds: [device], filePath: `/home/${user}/notes.txt` }
    const uploads = await as(user, 'POST', '/api/devices/files/upload-requests', asked)
    const upload = uploads.body.uploadRequests![0]!.id
    const form = new FormData()
    form.append('requestId', upload)
    form.append('file', new Blob([`secret of ${user}`]), 'notes.txt')
    const stored = await test.send('POST', '/api/devices/files/upload', { body: form, headers })
    const file = new URL(stored.body.fileUrl!).pathname.split('/')[4]!
    const kept = await as(user, 'POST', '/api/devices/saved-searches', savedSearch)
    const { id: saved } = kept.body['savedSearch'] as { id: string }
    const made = await as(user, 'POST', '/api/tokens', { name: `token of ${user}`, may: ['read'] })
    const { id: token } = made.body['token'] as { id: string }
    const hook = { url: `https://${user}.example`, events: ['device.offline'] }
    const { webhook } = (await as(user, 'POST', '/api/webhooks', hook)).body as { webhook?: { id: string } }
    const owned = { device, search, group, saved, upload, file, token, webhook: webhook!.id, apiKey }
    return { ...owned, ...(await enrollFor(user)) }
  }

  /** A token, and a device that came with it. */
  async function enrollFor(user: string) {
    const created = await as(user, 'POST', '/api/devices/enrollment-tokens', { label: 'x', approval: 'ask' })
    const { token, secret } = created.body as unknown as { token: { id: string }; secret: string }
    const waiting = await as(user, 'POST', '/api/devices/enrollments', {
      keyHash: createHash('sha256').update(user).digest('hex'),
      keyHint: 'abcd',
      name: `device of ${user}`,
      type: 'laptop',
      platform: 'linux',
      token: secret,
    })
    const { id, userCode } = waiting.body['enrollment'] as { id: string; userCode: string }
    return { enrollmentToken: token.id, enrollment: id, code: userCode }
  }
  return { test, as, fill }
}

/** Another id of the same form, so that nothing but its existence tells them apart. */
const sameForm = (id: string) =>
  [...id]
    .map((char) => (/[0-8a-yA-Y]/.test(char) ? String.fromCharCode(char.charCodeAt(0) + 1) : char))
    .join('')

/** What a stranger can see of an answer; what is different each time anyway is left out. */
function seen({ status, headers, text }: Answer, known: Known) {
  const shown = Object.values(known).reduce((rest, id) => rest.replaceAll(id, '[id]'), text)
  const names = [...headers.keys()].toSorted()
  return { status, shown, names, length: headers.get('content-length'), type: headers.get('content-type') }
}

describe.each(storeKinds)('a stranger, on %s', (kind) => {
  it('C20: walks every operation of the table', () => {
    expect(Object.keys(requests).toSorted()).toEqual(operationIds.toSorted())
  })

  it.each(operationIds)(
    'C20: %s says the same of what belongs to another user as of what never was',
    async (id) => {
      const { test, as, fill } = await start(kind)
      await using _ = test
      const ann = await fill('ann')
      const nobody = Object.fromEntries(
        Object.entries(ann).map(([name, value]) => [name, sameForm(value)]),
      ) as unknown as Known
      const { method } = deviceCloudOperations[id]
      const before = await stateOf(as, ann)
      const [foreign, unknown] = [requests[id](ann), requests[id](nobody)]
      for (const [index, request] of foreign.entries()) {
        const one = await as('bob', method, request.path, request.body)
        const two = await as('bob', method, unknown[index]!.path, unknown[index]!.body)
        expect(seen(one, ann)).toEqual(seen(two, nobody))
        expect(one.text).not.toMatch(/of ann|home\/ann/)
        expect(one.text).not.toContain(ann.file)
      }
      // Nor did anything of Ann's change, or become Bob's.
      expect(await stateOf(as, ann)).toEqual(before)
      expect((await as('bob', 'GET', '/api/devices')).body.devices).toEqual([])
      expect(test.errors).toEqual([])
    },
  )

  it.each(operationIds)('C23: %s says nothing at all without a session', async (id) => {
    const { test, fill } = await start(kind)
    await using _ = test
    const ann = await fill('ann')
    const { method } = deviceCloudOperations[id]
    const creations: Partial<Record<UserOperationId, string>> = {
      registerDevice: '/api/devices',
      createToken: '/api/tokens',
      createWebhook: '/api/webhooks',
      createSavedSearch: '/api/devices/saved-searches',
      exportOwner: '/api/export',
      readMetrics: '/metrics',
      listQuotas: '/api/quotas',
      createEnrollmentToken: '/api/devices/enrollment-tokens',
    }
    const creation = creations[id]
    const body = method === 'GET' ? undefined : {}
    const calls = creation === undefined ? requests[id](ann) : [{ path: creation, ...(body && { body }) }]
    expect(calls.length).toBeGreaterThan(0)
    for (const { path, body } of calls) {
      const answer = await test.send(method, path, body ? { body } : {})
      expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized' }])
      // An API key of the very device is no session either.
      const headers = { authorization: `Bearer ${ann.apiKey}` }
      const withKey = await test.send(method, path, { headers, ...(body && { body }) })
      expect(withKey.status).toBe(401)
    }
  })

  it('C20: one of a stranger among own devices: the whole call is refused, and nothing is created', async () => {
    const { test, as, fill } = await start(kind)
    await using _ = test
    const [ann, bob] = [await fill('ann'), await fill('bob')]
    const deviceIds = [bob.device, ann.device]
    const search = { query: 'x', scope: ['files'], deviceIds }
    for (const [path, body] of [
      ['/api/devices/search/query', search],
      ['/api/devices/files/upload-requests', { deviceIds, filePath: '/a' }],
    ] as const) {
      const before = await as('bob', 'GET', path)
      const answer = await as('bob', 'POST', path, body)
      expect([answer.status, answer.body]).toEqual([404, { error: 'Device not found' }])
      expect((await as('bob', 'GET', path)).text).toBe(before.text)
    }
  })

  it('C20: a cursor of another user leads nowhere but into the own list', async () => {
    const { test, as, fill } = await start(kind)
    await using _ = test
    await fill('ann')
    test.advance(1000)
    await fill('ann')
    for (const path of [
      '/api/devices',
      '/api/devices/search/query',
      '/api/devices/files/upload-requests',
      '/api/audit',
    ]) {
      const { nextCursor } = (await as('ann', 'GET', `${path}?limit=1`)).body
      expect(nextCursor).toBeTypeOf('string')
      const answer = await as('bob', 'GET', `${path}?limit=1&cursor=${encodeURIComponent(nextCursor!)}`)
      expect(answer.text).not.toMatch(/of ann/)
      expect(Object.values(answer.body).flat()).toEqual([])
    }
  })
})

/** All that Ann sees, but for the audit of what others tried, which is theirs. */
async function stateOf(
  as: (user: string, method: string, path: string) => Promise<Answer>,
  ann: Known,
): Promise<unknown> {
  const paths = ['/api/devices', '/api/devices/search/query', '/api/devices/files/upload-requests']
  const lists = await Promise.all(paths.map(async (path) => (await as('ann', 'GET', path)).text))
  const file = await as('ann', 'GET', `/api/devices/files/${ann.file}/notes.txt`)
  expect(file.text).toBe('secret of ann')
  const { entries } = (await as('ann', 'GET', '/api/audit')).body as { entries?: { action: string }[] }
  // Reading the file is itself written down, with each look once more.
  return [lists, entries?.filter(({ action }) => action !== 'file:downloaded')]
}
