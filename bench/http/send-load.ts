import { createConnection, type Socket } from 'node:net'

/** Requests to send, each once. */
interface Load {
  readonly port: number
  /** Whole HTTP/1.1 requests, as bytes. */
  readonly requests: readonly Buffer[]
  /** Connections, all kept alive, each with one request under way. */
  readonly connections: number
  /** Whether an answer is right; every answer is checked. */
  readonly isRight: (status: number, body: string) => boolean
  /** Told how long each answer took, in milliseconds. */
  readonly onAnswer?: (ms: number) => void
}

/** What came back. */
interface LoadResult {
  readonly seconds: number
  readonly answered: number
  /** Answers that were not right, at most three of them, for people. */
  readonly wrong: readonly string[]
}

const idleMs = 20_000

/**
 * Sends every request over kept connections, as fast as they are answered. It writes and reads raw HTTP: a client that
 * costs as much as the server would measure itself.
 *
 * @throws when a connection breaks, or gives nothing for 20 s.
 */
export async function sendLoad({
  port,
  requests,
  connections,
  isRight,
  onAnswer,
}: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => connect(port)))
  const wrong: string[] = []
  let next = 0
  let answered = 0
  const startedAt = performance.now()

  function drive(socket: Socket): Promise<void> {
    return new Promise((resolve, reject) => {
      let sentAt = 0
      const sendNext = () => {
        const request = requests[next]
        next += 1
        sentAt = performance.now()
        if (request) socket.write(request)
        else resolve()
      }
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1')
        const answer = parseAnswer(received)
        if (!answer) return
        received = ''
        answered += 1
        onAnswer?.(performance.now() - sentAt)
        if (!isRight(answer.status, answer.body) && wrong.length < 3)
          wrong.push(`${answer.status} ${answer.body}`)
        sendNext()
      })
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('Sending load: a connection was closed by the server.')))
      socket.setTimeout(idleMs, () => reject(new Error(`Sending load: no answer within ${idleMs} ms.`)))
      sendNext()
    })
  }

  try {
    await Promise.all(sockets.map(drive))
    return { seconds: (performance.now() - startedAt) / 1000, answered, wrong }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** A whole answer, or undefined while some of it is missing. One connection never has two under way. */
export function parseAnswer(text: string): { status: number; body: string } | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const status = Number(text.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  const rest = text.slice(end + 4)
  if (length !== undefined) return rest.length < Number(length) ? undefined : { status, body: rest }
  if (!rest.endsWith('0\r\n\r\n')) return undefined
  return { status, body: rest.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n(?:\r\n$)?/gi, '') }
}

function connect(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', reject)
  })
}
