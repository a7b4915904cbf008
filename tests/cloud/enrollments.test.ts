import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Answer, type TestCloud } from './test-cloud.ts'

interface Waiting {
  readonly apiKey: string
  readonly id: string
  readonly userCode: string
  readonly answer: Answer
  readonly headers: { readonly authorization: string }
}

const toBody = (apiKey: string, more: object = {}) => ({
  keyHash: createHash('sha256').update(apiKey).digest('hex'),
  keyHint: apiKey.slice(-4),
  name: 'garage pi',
  type: 'iot',
  platform: 'linux',
  metadata: { os: 'Debian 13' },
  ...more,
})

const newKey = () => `hw_${randomBytes(32).toString('base64url')}`

const enrollmentOf = ({ body }: Answer) => body['enrollment'] as Record<string, string>

async function enroll(
  { send }: Pick<TestCloud, 'send'>,
  { apiKey = newKey(), from = '192.0.2.7', more = {} } = {},
): Promise<Waiting> {
  const answer = await send('POST', '/api/devices/enrollments', { body: toBody(apiKey, more), from })
  const { id = '', userCode = '' } = enrollmentOf(answer) ?? {}
  return { apiKey, id, userCode, answer, headers: { authorization: `Bearer ${apiKey}` } }
}

async function createToken({ send }: Pick<TestCloud, 'send'>, token: object) {
  const { body, status } = await send('POST', '/api/devices/enrollment-tokens', { body: token })
  expect(status).toBe(201)
  return body as unknown as { token: { id: string }; secret: string }
}

describe.each(storeKinds)('enrollment on %s', (kind) => {
  it('C28: a device that a user approves by its code works with the key that it made', async () => {
    await using cloud = await createTestCloud(kind)
    const { send } = cloud
    const { id, userCode, headers, answer } = await enroll(cloud)
    expect(answer.status).toBe(202)
    expect(answer.body['enrollment']).toEqual({
      id,
      status: 'pending',
      userCode: expect.stringMatching(/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/) as string,
      verificationUri: 'http://127.0.0.1:3000/pair',
      verificationUriComplete: `http://127.0.0.1:3000/pair?code=${userCode}`,
      expiresInSeconds: 900,
      intervalSeconds: 5,
    })
    const typed = userCode.toLowerCase().replace('-', '')
    const preview = await send('GET', `/api/devices/enrollments?code=${typed}`)
    expect(preview.body['enrollment']).toEqual({
      id,
      name: 'garage pi',
      type: 'iot',
      platform: 'linux',
      metadata: { os: 'Debian 13' },
      address: '192.0.2.7',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-01T00:15:00.000Z',
    })
    const approved = await send('POST', `/api/devices/enrollments/${id}/approve`, {
      body: { name: 'Garage' },
    })
    expect(approved.status).toBe(200)
    const { deviceId } = enrollmentOf(approved)
    expect(approved.body['device']).toMatchObject({ id: deviceId, name: 'Garage', status: 'offline' })
    const beat = await send('POST', '/api/devices/heartbeat', { headers, body: { metadata: {} } })
    expect(beat.status).toBe(200)
    const read = await send('GET', `/api/devices/enrollments/${id}`, { headers })
    expect(enrollmentOf(read)).toEqual({ id, status: 'approved', deviceId })
    const again = await send('POST', `/api/devices/enrollments/${id}/approve`)
    expect(enrollmentOf(again)).toEqual({ id, status: 'approved', deviceId })
    const { body } = await send('GET', '/api/devices')
    expect(body.devices).toHaveLength(1)
  })

  it('C28: the same key gets the same enrollment, a new code after expiry, and none after denial', async () => {
    await using cloud = await createTestCloud(kind)
    const { apiKey, id, userCode, headers } = await enroll(cloud)
    const repeated = await enroll(cloud, { apiKey })
    expect([repeated.id, repeated.userCode, repeated.answer.status]).toEqual([id, userCode, 202])
    cloud.advance(900_000)
    const expired = await cloud.send('GET', `/api/devices/enrollments/${id}`, { headers })
    expect(enrollmentOf(expired)['status']).toBe('expired')
    const late = await cloud.send('POST', `/api/devices/enrollments/${id}/approve`, { body: {} })
    expect(late.status).toBe(409)
    const renewed = await enroll(cloud, { apiKey })
    expect(renewed.id).toBe(id)
    expect(renewed.userCode).not.toBe(userCode)
    expect((await cloud.send('GET', `/api/devices/enrollments?code=${userCode}`)).status).toBe(404)
    await cloud.send('POST', `/api/devices/enrollments/${id}/deny`)
    const denied = await enroll(cloud, { apiKey })
    expect(denied.answer.body['enrollment']).toEqual({ id, status: 'denied' })
  })

  it('C28: a device that was deleted starts again', async () => {
    await using cloud = await createTestCloud(kind)
    const { apiKey, id } = await enroll(cloud)
    const approved = await cloud.send('POST', `/api/devices/enrollments/${id}/approve`, { body: {} })
    await cloud.send('DELETE', `/api/devices/${enrollmentOf(approved)['deviceId']}`)
    const again = await enroll(cloud, { apiKey })
    expect([again.answer.status, enrollmentOf(again.answer)['status']]).toEqual([202, 'pending'])
  })

  it('C28: a token admits as many devices as it may, however many come at once', async () => {
    await using cloud = await createTestCloud(kind)
    const { token, secret } = await createToken(cloud, {
      label: 'shop floor',
      maxDevices: 3,
      approval: 'auto',
      labels: ['site:a'],
    })
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => enroll(cloud, { more: { token: secret } })),
    )
    expect(answers.filter(({ answer }) => answer.status === 201)).toHaveLength(3)
    const refused = answers.filter(({ answer }) => answer.status === 403)
    expect(refused).toHaveLength(47)
    expect(refused[0]?.answer.body).toEqual({
      error: 'Forbidden',
      message: expect.stringContaining('has enrolled the maximum number of devices') as string,
    })
    const { body } = await cloud.send('GET', '/api/devices/enrollment-tokens')
    expect(body['tokens']).toEqual([
      expect.objectContaining({ id: token.id, used: 3, maxDevices: 3, labels: ['site:a'] }),
    ])
    expect(JSON.stringify(body)).not.toContain(secret)
    const admitted = answers.find(({ answer }) => answer.status === 201)!
    const repeated = await enroll(cloud, { apiKey: admitted.apiKey, more: { token: secret } })
    expect([repeated.answer.status, repeated.id]).toEqual([201, admitted.id])
  })

  it('C28: a token that expired or was revoked says so, and one that asks waits for its owner', async () => {
    await using cloud = await createTestCloud(kind)
    const short = await createToken(cloud, {
      label: 'a',
      approval: 'auto',
      expiresAt: '2026-01-01T00:00:10Z',
    })
    const asking = await createToken(cloud, { label: 'b', approval: 'ask', maxDevices: 1 })
    const waiting = await enroll(cloud, { more: { token: asking.secret } })
    expect(waiting.answer.status).toBe(202)
    cloud.advance(10_000)
    const messageOf = async (token: string) => (await enroll(cloud, { more: { token } })).answer.body.message
    expect(await messageOf(short.secret)).toContain('has expired')
    const approved = await cloud.send('POST', `/api/devices/enrollments/${waiting.id}/approve`, { body: {} })
    expect(approved.status).toBe(200)
    expect(await messageOf(asking.secret)).toContain('has enrolled the maximum')
    await cloud.send('DELETE', `/api/devices/enrollment-tokens/${asking.token.id}`)
    expect(await messageOf(asking.secret)).toContain('was revoked')
    expect(await messageOf('hwe_x')).toContain('does not exist')
  })

  it('C28: takes 60 wrong codes a minute from an address, and keeps its neighbors out of it', async () => {
    await using cloud = await createTestCloud(kind)
    const { headers } = await cloud.register()
    const waiting = await enroll(cloud)
    const statuses: number[] = []
    for (let tries = 0; tries < 61; tries += 1)
      statuses.push((await cloud.send('GET', '/api/devices/enrollments?code=AAAA-AAAA')).status)
    expect(statuses.slice(0, 60).every((status) => status === 404)).toBe(true)
    expect(statuses[60]).toBe(429)
    const refused = await cloud.send('GET', '/api/devices/enrollments?code=AAAA-AAAA')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const beat = await cloud.send('POST', '/api/devices/heartbeat', { headers, body: { metadata: {} } })
    expect(beat.status).toBe(200)
    const read = await cloud.send('GET', `/api/devices/enrollments/${waiting.id}`, waiting)
    expect(enrollmentOf(read)['status']).toBe('pending')
  })
})

it('C28: neither the database nor an event holds a key, a code or the secret of a token', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-enrollments-'))
  try {
    const events: string[] = []
    const secrets: string[] = []
    {
      const store = createSqliteStore({ path: join(folder, 'cloud.db') })
      await using cloud = await createTestCloud('memory', { store })
      cloud.cloud.events.on('audit:recorded', (entry) => events.push(JSON.stringify(entry)))
      const { secret } = await createToken(cloud, { label: 'x', approval: 'ask' })
      const first = await enroll(cloud, { more: { token: secret } })
      const second = await enroll(cloud)
      await cloud.send('POST', `/api/devices/enrollments/${first.id}/approve`, { body: {} })
      const codes = [first.userCode, second.userCode].flatMap((code) => [code, code.replace('-', '')])
      secrets.push(secret, first.apiKey, second.apiKey, ...codes)
      expect(cloud.errors).toEqual([])
    }
    const files = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')),
    )
    const kept = [...files, ...events].join()
    expect(kept).toContain('enrollment:approved')
    for (const secret of secrets) expect(kept).not.toContain(secret)
  } finally {
    await rm(folder, { recursive: true })
  }
})
