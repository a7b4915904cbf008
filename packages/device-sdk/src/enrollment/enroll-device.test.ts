import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Secret } from '../secret.ts'
import { createDeviceKey, hashDeviceKey } from './device-key.ts'
import { enrollDevice } from './enroll-device.ts'
import type { EnrollDeviceOptions, EnrollmentCode } from './enroll-options.ts'

beforeEach(() => {
  vi.useFakeTimers()
  // The platform's own hashes on a thread, which fake timers do not wait for.
  vi.spyOn(crypto.subtle, 'digest').mockImplementation(async (_, bytes) => {
    const { buffer, byteOffset, byteLength } = createHash('sha256')
      .update(bytes as Uint8Array)
      .digest()
    return buffer.slice(byteOffset, byteOffset + byteLength)
  })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const apiKey = new Secret(`hw_${'k'.repeat(39)}last`)
const token = `hwe_${'t'.repeat(43)}`

interface Hit {
  readonly method: string
  readonly path: string
  readonly prefer: string | null
  readonly authorization: string | null
  readonly body: unknown
  readonly atMs: number
}
type Answer = (signal: AbortSignal) => Response | Promise<Response>

const pending =
  (userCode = 'ABCD-EFGH') =>
  () =>
    Response.json(
      {
        enrollment: {
          id: 'e1',
          status: 'pending',
          userCode,
          verificationUri: 'https://cloud.example/pair',
          verificationUriComplete: `https://cloud.example/pair?code=${userCode}`,
          expiresInSeconds: 900,
          intervalSeconds: 5,
        },
      },
      { status: 202 },
    )
const is = (status: string, deviceId?: string) => () =>
  Response.json({ enrollment: { id: 'e1', status, deviceId } })
const held = (status: string, deviceId?: string) => () =>
  Response.json(
    { enrollment: { id: 'e1', status, deviceId } },
    { headers: { 'preference-applied': 'wait=50' } },
  )
const fails =
  (status: number, body: object = {}, headers = {}) =>
  () =>
    Response.json(body, { status, headers })
const after =
  (ms: number, answer: () => Response): Answer =>
  () =>
    new Promise((resolve) => void setTimeout(() => resolve(answer()), ms))

/** Enrolls against a cloud that gives these responses one after the other; the last one is repeated. */
function enroll(answers: readonly Answer[], options: Partial<EnrollDeviceOptions> = {}) {
  const hits: Hit[] = []
  const codes: EnrollmentCode[] = []
  const retries: number[] = []
  const startedMs = Date.now()
  const enrolled = enrollDevice({
    baseUrl: 'https://cloud.example',
    apiKey,
    name: 'Workshop',
    type: 'iot',
    platform: 'linux',
    random: () => 0.5,
    onCode: (code) => void codes.push(code),
    onRetry: (_, retryInMs) => void retries.push(retryInMs),
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers)
      hits.push({
        method: init?.method ?? 'GET',
        path: new URL(url).pathname,
        prefer: headers.get('prefer'),
        authorization: headers.get('authorization'),
        body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
        atMs: Date.now() - startedMs,
      })
      return answers[Math.min(hits.length, answers.length) - 1]!(init?.signal as AbortSignal)
    },
    ...options,
  })
  enrolled.catch(() => {})
  return {
    enrolled,
    hits,
    codes,
    retries,
    steps: () => hits.map(({ method, atMs }) => `${method} ${atMs / 1000}`),
  }
}

it('makes keys of 32 random bytes, and hashes the whole key', async () => {
  const key = createDeviceKey().reveal()
  expect(key).toMatch(/^hw_[\w-]{43}$/)
  expect(createDeviceKey().reveal()).not.toBe(key)
  expect(createDeviceKey(new Uint8Array(32).fill(255)).reveal()).toBe(`hw_${'_'.repeat(42)}8`)
  expect(() => createDeviceKey(new Uint8Array(16))).toThrow('"randomBytes" must have 32 bytes, got 16')
  vi.restoreAllMocks()
  expect(await hashDeviceKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

it('sends the hash of its key and no key, shows the code, and waits until a user approves', async () => {
  const { enrolled, hits, codes } = enroll(
    [pending(), held('pending'), after(30_000, held('approved', 'd1'))],
    {
      metadata: { os: 'Linux' },
    },
  )
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(codes).toEqual([
    {
      userCode: 'ABCD-EFGH',
      verificationUri: 'https://cloud.example/pair',
      verificationUriComplete: 'https://cloud.example/pair?code=ABCD-EFGH',
      expiresInSeconds: 900,
    },
  ])
  expect(hits[0]).toMatchObject({
    method: 'POST',
    path: '/api/devices/enrollments',
    authorization: null,
    body: {
      keyHash: await hashDeviceKey(apiKey.reveal()),
      keyHint: 'last',
      name: 'Workshop',
      type: 'iot',
      platform: 'linux',
      metadata: { os: 'Linux' },
    },
  })
  expect(hits[1]).toMatchObject({
    method: 'GET',
    path: '/api/devices/enrollments/e1',
    authorization: `Bearer ${apiKey.reveal()}`,
    prefer: 'wait=50',
  })
})

it('is let in at once by a token, which it repeats in no error', async () => {
  const approved = () =>
    Response.json({ enrollment: { id: 'e1', status: 'approved', deviceId: 'd1' } }, { status: 201 })
  const { enrolled, hits, codes } = enroll([approved], { token: new Secret(token) })
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(hits).toMatchObject([{ body: { token } }])
  expect(codes).toEqual([])
  const message = `The token ${token} expired`
  const refused = enroll([fails(403, { error: 'Forbidden', message })], { token })
  await vi.advanceTimersByTimeAsync(0)
  await expect(refused.enrolled).rejects.toMatchObject({
    code: 'REJECTED',
    status: 403,
    message: expect.stringContaining('Forbidden: The token [hidden] expired') as string,
  })
})

it('asks at the interval of a cloud that does not hold its response, or lets go of it early', async () => {
  const { enrolled, steps } = enroll([
    pending(),
    is('pending'),
    held('pending'),
    after(20_000, held('pending')),
    is('approved', 'd1'),
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(steps()).toEqual(['POST 0', 'GET 0', 'GET 5', 'GET 10', 'GET 30'])
})

it('shows a new code when the one before has expired, and no code twice', async () => {
  const { enrolled, codes, steps } = enroll([
    pending(),
    held('expired'),
    pending('WXYZ-2345'),
    fails(404, { error: 'Not found' }),
    pending('WXYZ-2345'),
    fails(401),
    is('approved', 'd1'),
  ])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(codes.map(({ userCode }) => userCode)).toEqual(['ABCD-EFGH', 'WXYZ-2345'])
  expect(steps()).toEqual(['POST 0', 'GET 0', 'POST 1', 'GET 1', 'POST 6', 'GET 6', 'POST 11'])
})

it('ends with a clear error when a user denies the device', async () => {
  for (const answers of [[pending(), held('denied')], [is('denied')]]) {
    const { enrolled } = enroll(answers)
    await vi.advanceTimersByTimeAsync(0)
    await expect(enrolled).rejects.toMatchObject({
      code: 'ENROLLMENT_DENIED',
      retryable: false,
      message: 'Enrolling this device failed: a user denied the device. To try again, enroll with a new key.',
    })
  }
})

it('tries again with growing pauses while the cloud fails, and waits as long as the cloud asks', async () => {
  const broken: Answer = () => Promise.reject(new TypeError('fetch failed'))
  const noDevice = is('approved')
  const { enrolled, steps, retries } = enroll([
    broken,
    fails(503),
    fails(429, {}, { 'retry-after': '60' }),
    pending(),
    noDevice,
    held('approved', 'd1'),
  ])
  await vi.advanceTimersByTimeAsync(200_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(retries).toEqual([5000, 10_000, 67_500, 5000])
  expect(steps()).toEqual(['POST 0', 'POST 5', 'POST 15', 'POST 82.5', 'GET 82.5', 'GET 87.5'])
})

it('stops asking for held responses when something on the way breaks them', async () => {
  const cut: Answer = () =>
    new Promise((_, reject) => void setTimeout(() => reject(new TypeError('cut')), 20_000))
  const { enrolled, hits } = enroll([pending(), cut, cut, cut, is('approved', 'd1')])
  await vi.advanceTimersByTimeAsync(200_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
  expect(hits.map(({ prefer }) => prefer)).toEqual([null, 'wait=50', 'wait=50', 'wait=50', null])
})

it('gives up what waiting cannot cure, and ends with the reason of its signal', async () => {
  await expect(enroll([fails(400, { error: 'Validation error' })]).enrolled).rejects.toMatchObject({
    code: 'REJECTED',
  })
  await expect(enroll([fails(404)]).enrolled).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const keyless = enroll([pending()], { apiKey: () => Promise.reject(new Error('disk')) })
  await expect(keyless.enrolled).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' })
  await expect(enroll([], { baseUrl: 'cloud' }).enrolled).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  const stop = new AbortController()
  const { enrolled } = enroll([pending(), is('pending')], { signal: stop.signal })
  await vi.advanceTimersByTimeAsync(2000)
  stop.abort(new Error('enough'))
  await expect(enrolled).rejects.toThrow('enough')
})

it('is stopped by no listener that throws', async () => {
  const oops = () => {
    throw new Error('oops')
  }
  const { enrolled } = enroll([fails(503), pending(), is('approved', 'd1')], { onCode: oops, onRetry: oops })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await enrolled).toEqual({ deviceId: 'd1' })
})
