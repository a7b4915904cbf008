import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request that a receiver got. */
interface Received {
  readonly path: string
  /** The header `webhook-id`. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> }
}

/** A receiver of webhooks on a free port. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly requests: Received[]
  /** Responds to what comes from now on. @default 204 */
  respond: (response: ServerResponse, request: Received) => void
}

/** Starts a receiver. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { headers, url: path = '' } = incoming
      const request = { path, id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) }
      receiver.requests.push(request)
      receiver.respond(response, request)
    })
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests: [],
    respond: (response) => response.writeHead(204).end(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return receiver
}

/** What the published library of Standard Webhooks reads of a request. @throws if the signature is wrong, or too old */
export function verify(secret: string, { text, headers }: Pick<Received, 'text' | 'headers'>): unknown {
  const named = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
    name,
    String(headers[name]),
  ])
  return new Webhook(secret).verify(text, Object.fromEntries(named) as Record<string, string>)
}

/** The signature that the published library makes of a request. */
export function signatureOf(secret: string, { id, text, headers }: Received): string {
  return new Webhook(secret).sign(id, new Date(Number(headers['webhook-timestamp']) * 1000), text)
}
