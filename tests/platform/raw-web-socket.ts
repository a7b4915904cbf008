import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

/** A WebSocket connection in bytes: it reads only when it is told to. */
interface RawWebSocket extends AsyncDisposable {
  /** Status line and headers of the answer to the upgrade. */
  readonly head: string
  readonly status: number
  readonly socket: Socket
  send(text: string): void
  /** Sends a frame of any kind. */
  sendFrame(opcode: number, payload: Uint8Array): void
  /** Takes nothing any more, so that the server's bytes pile up. */
  stopReading(): void
  /** Reads to the end of the connection. @returns how many bytes, and the close frame if there was one. */
  readToEnd(): Promise<{ bytes: number; close: { code: number; reason: string } | undefined }>
}

/** Asks for an upgrade and waits for the answer. */
export async function openRawWebSocket(
  port: number,
  headers: Readonly<Record<string, string>> = {},
  path = '/api/events',
): Promise<RawWebSocket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const all = {
    Host: `127.0.0.1:${port}`,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let received = Buffer.alloc(0)
  const head = await new Promise<string>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      socket.off('data', onData)
      const text = received.subarray(0, end).toString('latin1')
      received = received.subarray(end + 4)
      resolve(text)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error('The connection ended without an answer')))
  })

  const sendFrame: RawWebSocket['sendFrame'] = (opcode, payload) => {
    const mask = randomBytes(4)
    const length =
      payload.length < 126
        ? Buffer.from([0x80 | payload.length])
        : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff])
    const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))
    socket.write(Buffer.concat([Buffer.from([0x80 | opcode]), length, mask, masked]))
  }

  return {
    head,
    status: Number(head.split(' ')[1]),
    socket,
    sendFrame,
    send: (text) => sendFrame(1, Buffer.from(text)),
    stopReading: () => void socket.pause(),
    async readToEnd() {
      let bytes = received.length
      let tail = received
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        tail = Buffer.concat([tail, chunk]).subarray(-200)
      })
      const ended = new Promise((resolve) => {
        socket.once('close', resolve)
        socket.once('end', () => socket.end())
      })
      socket.resume()
      if (!socket.closed) await ended
      return { bytes, close: closeFrameOf(tail) }
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}

/** The close frame at the end of what came: its reason is text that ends there. */
function closeFrameOf(tail: Buffer): { code: number; reason: string } | undefined {
  const at = tail.lastIndexOf(0x88)
  const length = tail[at + 1]
  if (at < 0 || length === undefined || at + 2 + length !== tail.length) return undefined
  return { code: tail.readUInt16BE(at + 2), reason: tail.subarray(at + 4).toString() }
}
