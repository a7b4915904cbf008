import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createDeviceCloud,
  createSingleUserSessions,
  type DeviceCloud,
  type DeviceCloudOptions,
  type CloudStore,
} from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { expect } from 'vitest'

export const storeKinds = ['memory', 'sqlite'] as const
export type StoreKind = (typeof storeKinds)[number]

const base = 'http://127.0.0.1:3000'

/** A cloud with a clock that only the test moves. */
export interface TestCloud {
  readonly cloud: DeviceCloud
  readonly store: CloudStore
  readonly errors: unknown[]
  advance(ms: number): void
  send(
    method: string,
    path: string,
    init?: { body?: object; headers?: Record<string, string>; from?: string },
  ): Promise<Answer>
  /** Registers a device and gives what its owner and it need. */
  register(name?: string): Promise<{ id: string; apiKey: string; headers: Record<string, string> }>
  [Symbol.asyncDispose](): Promise<void>
}

/** What tests look into: documented fields, as a client that knows only the interface document would read them. */
export interface AnswerBody {
  readonly [field: string]: unknown
  readonly apiKey?: string
  readonly message?: string
  readonly fileName?: string
  readonly fileUrl?: string
  readonly nextCursor?: string
  readonly devices?: readonly Row[]
  readonly requests?: readonly Row[]
  readonly results?: readonly Row[]
  readonly searchQueries?: readonly Row[]
  readonly uploadRequests?: readonly Row[]
}

export interface Row {
  readonly [field: string]: unknown
  readonly id: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
  readonly text: string
}

export async function createTestCloud(
  kind: StoreKind,
  options: Partial<DeviceCloudOptions> = {},
): Promise<TestCloud> {
  await using stack = new AsyncDisposableStack()
  const store = kind === 'memory' ? createMemoryStore() : await createSqliteFile(stack)
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
  const errors: unknown[] = []
  const cloud = createDeviceCloud({
    store,
    blobs: createMemoryBlobs(),
    sessions: createSingleUserSessions(),
    checkReplies: true,
    now: () => nowMs,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    ...options,
  })
  stack.defer(() => cloud.close())

  const send: TestCloud['send'] = async (method, path, { body, headers, from = '127.0.0.1' } = {}) => {
    const json = body !== undefined && !(body instanceof FormData)
    const request = new Request(base + path, {
      method,
      headers: { ...(json && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    })
    const response = await cloud.fetch(request, { remoteAddress: from })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream) await response.body?.cancel() // it does not end
    const text = isStream ? '' : await response.text()
    const parsed: AnswerBody = response.headers.get('content-type')?.startsWith('application/json')
      ? JSON.parse(text)
      : {}
    return { status: response.status, headers: response.headers, body: parsed, text }
  }

  const owned = stack.move()
  return {
    cloud,
    store,
    errors,
    send,
    advance: (ms) => (nowMs += ms),
    async register(name = 'laptop') {
      const answer = await send('POST', '/api/devices', {
        body: { name, type: 'laptop', platform: 'linux', metadata: {} },
      })
      expect(answer.status).toBe(201)
      const { device, apiKey } = answer.body as unknown as { device: Row; apiKey: string }
      return { id: device.id, apiKey, headers: { authorization: `Bearer ${apiKey}` } }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function createSqliteFile(stack: AsyncDisposableStack): Promise<CloudStore> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-cloud-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return createSqliteStore({ path: join(folder, 'cloud.db') })
}
