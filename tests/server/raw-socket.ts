import { connect, type Socket } from 'node:net'

/** An HTTP/1.1 answer as it came. */
export interface SocketAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown
}

/** A connection that sends exactly the bytes it is told to. */
interface RawSocket extends AsyncDisposable {
  write(bytes: string | Uint8Array): void
  /** The next answer, or undefined when the connection ends before there is a whole one. */
  read(options?: { readonly isHead?: boolean }): Promise<SocketAnswer | undefined>
  /** Sends no more, and listens on. */
  endSending(): void
  /** Cuts the connection, with a reset where the system can. */
  cut(): void
}

/** A connection on which nothing happens for so long is given up. */
const silenceMs = 10_000

/** Opens a connection. */
export async function openSocket(port: number): Promise<RawSocket> {
  const socket = connect(port, '127.0.0.1').setTimeout(silenceMs)
  let received = Buffer.alloc(0)
  let isOver = false
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const over = () => {
    isOver = true
    wake()
  }
  socket.on('end', over)
  socket.on('close', over)
  socket.on('error', over)
  socket.on('timeout', () => socket.destroy())
  await connected(socket)

  return {
    write: (bytes) => void socket.write(bytes),
    async read({ isHead = false } = {}) {
      for (;;) {
        const answer = parseAnswer(received, isOver, isHead)
        if (answer) {
          received = received.subarray(answer.length)
          return answer.answer
        }
        if (isOver) return undefined
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    endSending: () => void socket.end(),
    cut: () => void socket.resetAndDestroy(),
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}

/** Sends one request on a connection of its own. */
export async function exchange(
  port: number,
  request: string | Uint8Array,
): Promise<SocketAnswer | undefined> {
  await using socket = await openSocket(port)
  socket.write(request)
  return await socket.read({ isHead: request.toString().startsWith('HEAD ') })
}

/** The head of a request, with `Host` and whatever headers are given; a `Host` among them replaces it. */
export function requestHead(
  target: string,
  port: number,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = { Host: `127.0.0.1:${port}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${target} HTTP/1.1\r\n${lines.join('')}\r\n`
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
}

function parseAnswer(
  received: Buffer,
  isOver: boolean,
  isHead: boolean,
): { answer: SocketAnswer; length: number } | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const headers = new Map(lines.map((line) => splitHeader(line)))
  const body = isHead ? noBody : parseBody(received.subarray(headEnd + 4), headers, isOver)
  if (body === undefined) return undefined
  const text = body.bytes.toString()
  const answer = { status: Number(statusLine.split(' ')[1]), headers, text, json: toJson(text) }
  return { answer, length: headEnd + 4 + body.length }
}

const noBody = { bytes: Buffer.alloc(0), length: 0 }

/** The body at the start of `received`, with how many bytes it took on the wire; undefined while it is not whole. */
function parseBody(
  received: Buffer,
  headers: ReadonlyMap<string, string>,
  isOver: boolean,
): { bytes: Buffer; length: number } | undefined {
  if (headers.get('transfer-encoding') === 'chunked') return parseChunks(received)
  const declared = headers.get('content-length')
  const length = declared === undefined ? received.length : Number(declared)
  if (received.length < length || (declared === undefined && !isOver)) return undefined
  return { bytes: received.subarray(0, length), length }
}

function parseChunks(received: Buffer): { bytes: Buffer; length: number } | undefined {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(received.subarray(at, lineEnd).toString(), 16)
    const end = lineEnd + 2 + size
    if (received.length < end + 2) return undefined
    if (size === 0) return { bytes: Buffer.concat(chunks), length: end + 2 }
    chunks.push(received.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
