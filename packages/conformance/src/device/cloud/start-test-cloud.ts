import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answer } from './answer.ts'
import { createPendingWork, type PendingWork } from './pending-work.ts'
import { type Reply, sendReply } from './reply.ts'
import { type DeviceOperation, objectOf, operationOf, type SeenRequest } from './seen-request.ts'

/** Decides about an answer. `work` gives what a cloud would answer that does everything right, after it did its work. */
export type Meddle = (
  request: SeenRequest,
  work: () => Promise<Reply>,
) => Reply | undefined | Promise<Reply | undefined>

/** A cloud for one agent, which can be told to misbehave. */
export interface TestCloud {
  readonly url: string
  readonly key: string
  readonly work: PendingWork
  /** Every request since the start or the last {@link TestCloud.reset}. */
  readonly requests: readonly SeenRequest[]
  /** What is wrong with the cloud; undefined for nothing. A meddler that gives undefined lets the right answer go out. */
  meddle: Meddle | undefined
  /** Whether lists are held while nothing waits, as `Prefer: wait` asks. */
  holds: boolean
  /** Offered for uploads in chunks; undefined to offer none. */
  chunkBytes: number | undefined
  /** Whether there is a request for all work. */
  offersWork: boolean
  /** How far the clock of the cloud is off. */
  clockOffsetMs: number
  /** Milliseconds to wait before the body of a form is read. */
  readDelayMs: number
  /** Operations of all requests whose head has come, also of those whose body is still on its way. */
  readonly begun: readonly DeviceOperation[]
  /** Called after each request began, was answered, or broke off. */
  onChange(listener: () => void): () => void
  /** Refuses connections, and breaks those that are open. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  /** Does everything right again, and forgets all work and requests. */
  reset(): void
  close(): Promise<void>
}

/** Longest time that a list is held. */
const holdLimitMs = 12_000

/** Starts a cloud on a port of `host`. */
export async function startTestCloud(setup: {
  readonly key: string
  readonly host: string
  readonly port: number
}): Promise<TestCloud> {
  const listeners = new Set<() => void>()
  const change = () => listeners.forEach((listener) => listener())
  const requests: SeenRequest[] = []
  const begun: DeviceOperation[] = []
  let server = await listen(setup.host, setup.port, serve)
  const { port } = server.address() as AddressInfo
  const work = createPendingWork(() => cloud.clockOffsetMs, change)

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [method, url, atMs] = [incoming.method ?? '', incoming.url ?? '', performance.now()]
    const operation = operationOf(method, url)
    begun.push(operation)
    change()
    if (operation === 'upload' && cloud.readDelayMs > 0) await sleep(cloud.readDelayMs)
    const body = await readAll(incoming).catch(() => undefined)
    const seen: SeenRequest = {
      operation,
      method,
      url,
      headers: incoming.headers,
      atMs,
      body: body ?? Buffer.alloc(0),
      answer: body ? 'open' : 'broke off',
    }
    requests.push(seen)
    change()
    if (!body) return
    const reply = await decide(seen, response)
    if (response.destroyed) seen.answer = 'the agent closed the connection'
    else seen.answer = await sendReply(response, withDate(reply, cloud.clockOffsetMs))
    change()
  }

  async function decide(seen: SeenRequest, response: ServerResponse): Promise<Reply> {
    const offers = { chunkBytes: () => cloud.chunkBytes, offersWork: () => cloud.offersWork }
    const right = () => answer(seen, { work, key: setup.key, ...offers })
    const meddled = await cloud.meddle?.(seen, right)
    if (meddled) return meddled
    const seconds = Number(/wait=(\d+)/.exec(String(seen.headers['prefer'] ?? ''))?.[1] ?? 0)
    if (!isHeld(seen, cloud) || !cloud.holds || seconds === 0) return right()
    await hold(cloud, seen, Math.min(seconds * 1000, holdLimitMs), response)
    // Something may be wrong with the cloud by now.
    const later = seen.operation === 'work' ? await cloud.meddle?.(seen, right) : undefined
    if (later) return later
    const reply = await right()
    return { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${seconds}` } }
  }

  const cloud: TestCloud = {
    url: `http://${setup.host.includes(':') ? `[${setup.host}]` : setup.host}:${port}`,
    key: setup.key,
    work,
    requests,
    begun,
    meddle: undefined,
    holds: true,
    chunkBytes: undefined,
    offersWork: false,
    clockOffsetMs: 0,
    readDelayMs: 0,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    goAway: () => stop(server),
    async comeBack() {
      server = await listen(setup.host, port, serve)
    },
    reset() {
      work.clear()
      requests.length = begun.length = 0
      Object.assign(cloud, {
        meddle: undefined,
        holds: true,
        chunkBytes: undefined,
        offersWork: false,
        clockOffsetMs: 0,
        readDelayMs: 0,
      })
    },
    async close() {
      cloud.holds = false
      await stop(server)
    },
  }
  return cloud
}

const isHeld = ({ operation }: SeenRequest, { offersWork }: TestCloud): boolean =>
  operation === 'searches' || operation === 'uploads' || (operation === 'work' && offersWork)

function withDate(reply: Reply, offsetMs: number): Reply {
  if (offsetMs === 0) return reply
  return { ...reply, headers: { ...reply.headers, date: new Date(Date.now() + offsetMs).toUTCString() } }
}

async function listen(
  host: string,
  port: number,
  serve: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Server> {
  const server = createServer((request, response) => {
    response.on('error', () => {}) // the agent may close its side at any moment
    void serve(request, response)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Holds a list until there is work, the time is over, or the agent has gone. */
async function hold(
  cloud: TestCloud,
  seen: SeenRequest,
  ms: number,
  response: ServerResponse,
): Promise<void> {
  const { searches, uploads } = cloud.work
  const { working } = objectOf(seen)
  const held = new Set(Array.isArray(working) ? working : [])
  const hasWork = () =>
    [
      ...(seen.operation === 'uploads' ? [] : searches.values()),
      ...(seen.operation === 'searches' ? [] : uploads.values()),
    ].some(({ id, settled }) => !settled && !held.has(id))
  const endMs = performance.now() + ms
  while (!response.destroyed && cloud.holds && !hasWork() && performance.now() < endMs) await sleep(20)
}
