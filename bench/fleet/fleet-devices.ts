import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { answerParent } from '../child.ts'
import { parseAnswer } from '../http/send-load.ts'
import type { RegisteredDevice } from '../http/subject-server.ts'

/** Calls to the process that plays devices. */
export type FleetDevicesCalls = typeof calls

/** How the devices of a fleet live. */
interface FleetLife {
  /** One held request, or heartbeats and two held polls. */
  readonly asks: 'work' | 'poll'
  readonly devices: readonly RegisteredDevice[]
  /** Devices go to these in turn. */
  readonly ports: readonly number[]
  readonly isTls: boolean
  /** Over how many seconds they come first, and come back. */
  readonly startOverSeconds: number
}

const metadata = { os: 'Linux 6.12', version: '1.4.0', hardware: '4 cores, 8 GiB' }
const files = [
  { path: '/home/ada/invoice.pdf', name: 'invoice.pdf', size: 48_213, modified: '2026-03-14T09:26:53.000Z' },
]
/** Default periods of the device agent, in seconds. */
const periods = { work: 270, poll: 50, heartbeat: 30 }
const paths = {
  work: 'POST /api/devices/work',
  heartbeat: 'POST /api/devices/heartbeat',
  searches: 'GET /api/devices/search/pending',
  uploads: 'GET /api/devices/files/upload-requests/pending',
}

let isEnding = false
let sockets = new Set<Socket>()
const stats = { answers: 0, reports: 0, broken: 0, waiting: 0 }
const fromNow = (seconds: number) => new Promise<void>((resolve) => void setTimeout(resolve, seconds * 1000))
const jitter = (seconds: number) => seconds * (0.9 + 0.2 * Math.random())

function toBytes(line: string, port: number, apiKey: string, wait: number, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [
    `${line} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${apiKey}`,
    ...(wait > 0 ? [`Prefer: wait=${Math.max(1, Math.round(wait))}`] : []),
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`] : []),
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

function open(port: number, isTls: boolean): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = isTls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket))
      : connectPlain({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.on('error', reject)
    socket.on('close', () => sockets.delete(socket))
    sockets.add(socket)
  })
}

/** Sends one request, and reads its answer. */
function exchange(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const end = () => {
      socket.off('data', read)
      socket.off('close', fail)
      stats.waiting -= 1
    }
    const fail = () => (end(), reject(new Error('broken off')))
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const answer = parseAnswer(received)
      if (!answer) return
      end()
      stats.answers += 1
      if (answer.status === 200) resolve(answer.body)
      else reject(new Error(`status ${answer.status}`))
    }
    stats.waiting += 1
    socket.on('data', read)
    socket.on('close', fail)
    socket.write(request)
  })
}

/** One loop of a device on one connection, for as long as the fleet lives. */
async function run(
  kind: keyof typeof paths,
  { apiKey }: RegisteredDevice,
  port: number,
  life: FleetLife,
): Promise<void> {
  const period = kind === 'heartbeat' ? periods.heartbeat : kind === 'work' ? periods.work : periods.poll
  // A first hold of any length, so that the fleet is spread from the start.
  let wait = Math.random() * period
  for (;;) {
    await fromNow(Math.random() * life.startOverSeconds)
    try {
      const socket = await open(port, life.isTls)
      while (!isEnding) {
        if (kind === 'heartbeat') await fromNow(wait)
        const body =
          kind === 'work' ? { metadata, working: [] } : kind === 'heartbeat' ? { metadata } : undefined
        const held = kind === 'heartbeat' ? 0 : wait
        const answer = JSON.parse(await exchange(socket, toBytes(paths[kind], port, apiKey, held, body))) as {
          readonly searches?: readonly { readonly id: string }[]
        }
        wait = jitter(period)
        for (const { id } of answer.searches ?? []) {
          const report = { queryId: id, results: { files }, error: null }
          await exchange(socket, toBytes('POST /api/devices/search', port, apiKey, 0, report))
          stats.reports += 1
        }
      }
    } catch {
      if (isEnding) return
      stats.broken += 1
    }
    if (isEnding) return
  }
}

const calls = {
  start(life: FleetLife): void {
    isEnding = false
    const kinds = life.asks === 'work' ? (['work'] as const) : (['heartbeat', 'searches', 'uploads'] as const)
    for (const [at, device] of life.devices.entries())
      for (const kind of kinds) void run(kind, device, life.ports[at % life.ports.length]!, life)
  },
  /** Requests that were answered, reports among them, connections that broke off, and requests that wait for an answer. */
  stats: () => ({ ...stats }),
  /** Ends all connections. */
  stop(): void {
    isEnding = true
    for (const socket of sockets) socket.destroy()
    sockets = new Set()
  },
}
answerParent(calls)
