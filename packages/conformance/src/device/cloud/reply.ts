import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a cloud sends back, right or wrong. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Instead of a whole answer: `cut` sends half of the body, `reset` sends nothing and breaks the connection, `hang` stays silent. */
  readonly instead?: 'cut' | 'reset' | 'hang'
  /** Sends the body in this many pieces, with a pause between them. */
  readonly pieces?: number
  /** Milliseconds between two pieces. @default 10 */
  readonly pauseMs?: number
}

/** A JSON answer. */
export const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
})

/** A page for people, as proxies and hotel networks send it. */
export const html = (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body: Buffer.from('<!doctype html><title>Sign in</title><h1>Sign in to the network</h1>'),
})

/** An error of the interface. */
export const failure = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => json({ error }, status, headers)

/** A broken connection. */
export const reset: Reply = { status: 0, body: Buffer.alloc(0), instead: 'reset' }

/** Sends a reply; gives what was done, in words. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<string> {
  const { status, headers = {}, body, instead } = reply
  if (instead === 'hang') return 'no answer'
  if (instead === 'reset') {
    response.socket?.resetAndDestroy()
    return 'connection reset'
  }
  const hasBody = status !== 204 && status !== 304
  response.writeHead(
    status,
    hasBody && !reply.pieces ? { ...headers, 'content-length': body.length } : headers,
  )
  if (instead === 'cut') {
    response.write(body.subarray(0, Math.floor(body.length / 2)))
    await sleep(20)
    response.socket?.destroy()
    return `${status}, cut off`
  }
  if (reply.pieces) await sendInPieces(response, reply, reply.pieces)
  response.end(reply.pieces || !hasBody ? undefined : body)
  return String(status)
}

async function sendInPieces(
  response: ServerResponse,
  { body, pauseMs = 10 }: Reply,
  pieces: number,
): Promise<void> {
  const size = Math.max(1, Math.ceil(body.length / pieces))
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size))
    await sleep(pauseMs)
  }
}
