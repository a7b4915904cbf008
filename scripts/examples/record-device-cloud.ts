import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { OperationExamples } from '@homeward/contract/examples'
import {
  invoice,
  type CloudRecorder,
  recordSavedSearches,
  recordSearches,
  recordStream,
  recordWork,
  type RecordedDevice,
} from './cloud/searches.ts'
import { createMeasures } from '../../apps/homeward/src/http/measure.ts'
import {
  createRecordedBytes,
  createRecordedClock,
  createRecordedIds,
  createRecorder,
  firstOf,
  linesOf,
} from './recorder.ts'

/** Drives the handler of a device cloud through every operation, and gives one example of each. */
export async function recordDeviceCloud(): Promise<OperationExamples> {
  const clock = createRecordedClock()
  const measures = createMeasures()
  await using cloud = createDeviceCloud({
    store: createSqliteStore({ path: ':memory:' }),
    blobs: createMemoryBlobs(),
    chunks: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    publicUrl: 'https://cloud.example.com',
    keySecret: 'only for recorded examples',
    flush: 'sync',
    quotas: { devices: 100, pendingPerDevice: 1000 },
    heartbeatIntervalSeconds: 30,
    webhooks: { check: () => Promise.resolve(undefined), send: () => Promise.resolve({ status: 204 }) },
    meter: measures.meter,
    metrics: measures.read,
    checkReplies: true,
    now: clock.now,
    createId: createRecordedIds(),
    random: () => 0.5,
    randomBytes: createRecordedBytes(),
  })
  const recorder = createRecorder(
    deviceCloudOperations,
    (request) => cloud.fetch(request, { remoteAddress: '127.0.0.1' }),
    () => clock.advance(1),
  )
  const pi = await recordDevices(recorder)
  await recordEnrollments(recorder)
  await recordStream(recorder, pi)
  await recordSearches(recorder, pi)
  await recordWork(recorder, pi)
  await recordCatalog(recorder, pi)
  await recordSavedSearches(recorder, pi)
  await recordUploads(recorder, pi)
  await recordAccess(recorder)
  await recordWebhooks(recorder)
  await recordOwner(recorder)
  return recorder.examples()
}

async function recordDevices({ record, send }: CloudRecorder): Promise<RecordedDevice> {
  const registration = {
    name: 'Raspberry Pi',
    type: 'iot',
    platform: 'linux',
    metadata: { os: 'Raspberry Pi OS 12', hardware: 'Raspberry Pi 5' },
    labels: ['home/kitchen'],
  }
  const { device, apiKey } = await record('registerDevice', { body: registration })
  const pi = { id: device.id, headers: { Authorization: `Bearer ${apiKey}` } }
  await record('sendHeartbeat', {
    headers: pi.headers,
    body: { metadata: { os: 'Raspberry Pi OS 12', version: '12.8' } },
  })
  await record('listQuotas')
  await record('listDevices', { query: { label: ['home/kitchen'], status: 'online', count: 'true' } })
  await record('getDevice', { params: { id: pi.id } })
  await record('getDevicePresence', { params: { id: pi.id } })
  await record('updateDevice', {
    params: { id: pi.id },
    body: { name: 'Kitchen Pi', labels: ['home/kitchen', 'always-on'] },
  })
  await record('revealDeviceKey', { params: { id: pi.id } })

  const other = await send('registerDevice', {
    body: { name: 'Old laptop', type: 'laptop', platform: 'windows' },
  })
  await record('rotateDeviceKey', { params: { id: other.device.id } })
  await record('updateDevices', {
    body: { filter: { labels: ['home/kitchen'] }, labels: { add: ['site:berlin'], remove: [] } },
  })
  await record('deleteDevices', { body: { deviceIds: ['00000000-0000-4000-8000-000000000000'] } })
  await record('deleteDevice', { params: { id: other.device.id } })
  return pi
}

async function recordEnrollments({ record, send }: CloudRecorder): Promise<void> {
  const key = `hw_${Buffer.from('a key that the device has made.').toString('base64url').padEnd(43, 'A')}`
  const nas = {
    keyHash: createHash('sha256').update(key).digest('hex'),
    keyHint: key.slice(-4),
    name: 'NAS workshop',
    type: 'server',
    platform: 'linux',
    metadata: { os: 'Debian 12' },
  }
  const { enrollment } = await record('enrollDevice', { body: nas })
  const params = { id: enrollment.id }
  await record('findEnrollment', { query: { code: enrollment.userCode ?? '' } })
  await record('approveEnrollment', { params, body: { labels: ['workshop'] } })
  await record('readEnrollment', { params, headers: { Authorization: `Bearer ${key}` } })

  const stranger = {
    ...nas,
    keyHash: createHash('sha256').update('another key').digest('hex'),
    name: 'Unknown',
  }
  const refused = await send('enrollDevice', { body: stranger })
  await record('denyEnrollment', { params: { id: refused.enrollment.id } })

  const token = { label: 'Shop terminals', maxDevices: 20, labels: ['shop'], approval: 'auto' }
  const created = await record('createEnrollmentToken', { body: token })
  await record('listEnrollmentTokens')
  await record('revokeEnrollmentToken', { params: { id: created.token.id } })
}

async function recordCatalog({ record }: CloudRecorder, { id, headers }: RecordedDevice): Promise<void> {
  const lines = [{ asOf: '2026-01-01T12:00:00.000Z', files: 1 }, invoice]
  const bytes = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
  await record('sendCatalog', { headers, bytes, encode: (text) => gzipSync(text) })
  await record('deleteDeviceCatalog', { params: { id } })
  await record('removeCatalog', { headers })
}

async function recordUploads({ record, send }: CloudRecorder, pi: RecordedDevice): Promise<void> {
  const { headers } = pi
  const request = { deviceIds: [pi.id], filePath: invoice.path }
  const { groupId } = await record('createUploads', { body: request })
  const { requests } = await record('listPendingUploads', { headers: { ...headers, Prefer: 'wait=25' } })
  const form = new FormData()
  form.append('requestId', firstOf(requests).id)
  form.append('file', new Blob(['the bytes of the invoice']), invoice.name)
  await record('uploadFile', { headers, form })
  const { results } = await record('listUploads', { query: { groupId } })
  const [fileName = '', id = ''] = new URL(firstOf(results).fileUrl ?? '').pathname.split('/').toReversed()
  await record('downloadFile', { params: { id, fileName } })

  const chunk = 'the bytes of the first and only chunk'
  const digest = createHash('sha256').update(chunk).digest('base64')
  const large = await send('createUploads', { body: { ...request, filePath: '/home/ann/Videos/garden.mp4' } })
  const params = { id: firstOf(large.uploadRequests).id }
  const plan = { fileName: 'garden.mp4', size: chunk.length, chunkBytes: 4_194_304, digests: [digest] }
  await record('beginChunkedUpload', { headers, params, body: plan })
  const digestHeaders = { ...headers, 'Content-Digest': `sha-256=:${digest}:` }
  await record('sendUploadChunk', { headers: digestHeaders, params: { ...params, index: '0' }, bytes: chunk })
  await record('readChunkedUpload', { headers, params })
  await record('completeChunkedUpload', { headers, params })

  const unwanted = await send('createUploads', { body: request })
  await record('cancelUpload', { params: { id: firstOf(unwanted.uploadRequests).id } })
}

async function recordAccess({ record }: CloudRecorder): Promise<void> {
  const { token } = await record('createToken', { body: { name: 'nightly-report', may: ['read', 'search'] } })
  await record('listTokens')
  await record('deleteToken', { params: { id: token.id } })
  await record('listAudit', { query: { limit: '3' } })
}

async function recordWebhooks({ record }: CloudRecorder): Promise<void> {
  const body = { url: 'https://hooks.example.com/homeward', events: ['search.settled', 'device.offline'] }
  const { webhook } = await record('createWebhook', { body })
  const params = { id: webhook.id }
  await record('listWebhooks')
  await record('getWebhook', { params })
  await record('updateWebhook', { params, body: { events: ['search.settled', 'upload.settled'] } })
  await record('testWebhook', { params })
  await record('listWebhookDeliveries', { params })
  await record('deleteWebhook', { params })
}

async function recordOwner({ record }: CloudRecorder): Promise<void> {
  await record('callDeviceTools', {
    headers: { Accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_devices', arguments: {} } },
  })
  await record('readMetrics', {
    show: (text) => linesOf(text, /homeward_(?:searches|uploads)_settled_total/),
  })
  await record('exportOwner', { show: (text) => firstOfEachType(text) })
  await record('eraseOwner')
}

/** One line of each type is enough to show the format. */
function firstOfEachType(text: string): string {
  const lines = text.trimEnd().split('\n')
  const typeOf = (line: string) => (JSON.parse(line) as { type: string }).type
  const first = lines.filter((line, at) => lines.findIndex((other) => typeOf(other) === typeOf(line)) === at)
  return `${first.join('\n')}\n`
}
