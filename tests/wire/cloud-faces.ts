import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createDeviceCloud,
  createSingleUserSessions,
  type DeviceCloud,
  type DeviceCloudOptions,
  type CloudStore,
} from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { fromNodeHandler, H3 } from 'h3'
import { toNodeHandler } from 'h3/node'

/** Sends a request; `globalThis.fetch` over a port, the handler itself in process. */
type Fetch = (input: string, init?: RequestInit) => Promise<Response>

/** A cloud behind one of its faces. */
export interface FacedCloud {
  readonly baseUrl: string
  readonly fetch: Fetch
  readonly cloud: DeviceCloud
  /** What went wrong inside: nothing should. */
  readonly errors: unknown[]
  /** Closes the cloud and opens it again over the same storage, behind the same face. Memory forgets. */
  reopen(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const stores = ['memory', 'sqlite'] as const
const transports = ['fetch', 'h3', 'node:http'] as const

/** Every face over every store. */
export const faces = stores.flatMap((store) => transports.map((transport) => ({ store, transport })))
export type Face = (typeof faces)[number]

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Opens a cloud behind a face. */
export async function openCloud(
  { store, transport }: Face,
  options: Partial<DeviceCloudOptions> = {},
): Promise<FacedCloud> {
  const folder = await mkdtemp(join(tmpdir(), 'homeward-wire-'))
  const errors: unknown[] = []
  const create = () => createDeviceCloud({ ...cloudOptions(store, folder, errors), ...options })
  let cloud = create()
  const port = transport === 'fetch' ? undefined : await listen(transport, () => cloud)

  const faced: FacedCloud = {
    baseUrl: port?.url ?? 'http://127.0.0.1:3000',
    fetch: port
      ? (input, init) => fetch(input, init)
      : (input, init) => cloud.fetch(new Request(input, init), { remoteAddress: '127.0.0.1' }),
    get cloud() {
      return cloud
    },
    errors,
    async reopen() {
      await cloud.close()
      cloud = create()
    },
    async [Symbol.asyncDispose]() {
      await cloud.close()
      await port?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return faced
}

function cloudOptions(store: Face['store'], folder: string, errors: unknown[]): DeviceCloudOptions {
  const opened: CloudStore =
    store === 'memory' ? createMemoryStore() : createSqliteStore({ path: join(folder, 'cloud.db') })
  return {
    store: opened,
    blobs: store === 'memory' ? createMemoryBlobs() : createFsBlobs({ folder: join(folder, 'files') }),
    sessions: createSingleUserSessions(),
    checkReplies: true,
    onError: (error) => errors.push(error),
  }
}

async function listen(
  transport: Face['transport'],
  cloud: () => DeviceCloud,
): Promise<{ url: string; close(): Promise<void> }> {
  const answer: Answer = (request, response) => cloud().node(request, response)
  const handle = transport === 'h3' ? throughH3(answer) : answer
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server),
  }
}

/** As the reference server mounts it. */
function throughH3(answer: Answer): Answer {
  const app = new H3().all(
    '/api/**',
    fromNodeHandler((request, response) => answer(request as IncomingMessage, response as ServerResponse)),
  )
  const listener = toNodeHandler(app)
  return async (request, response) => void (await listener(request, response))
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
