import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What the bridge does with an answer: sends it, breaks off after it has it, or refuses it. */
type BridgeMode = 'sends' | 'breaks_off' | 'refuses'

/** A bridge of channel_d on loopback. */
export interface StandInBridge extends AsyncDisposable {
  readonly url: string
  /** Texts that it has, in their order. */
  readonly texts: readonly string[]
  mode: BridgeMode
}

/** Starts one. */
export async function startStandInBridge(): Promise<StandInBridge> {
  const texts: string[] = []
  const bridge = { mode: 'sends' as BridgeMode }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.end('{}')
    if (request.url !== '/send') return void response.writeHead(404).end()
    const body = (await json(request)) as { readonly text: string }
    texts.push(body.text)
    if (bridge.mode === 'breaks_off') response.destroy()
    else
      response
        .writeHead(bridge.mode === 'sends' ? 200 : 400, { 'content-type': 'application/json' })
        .end('{"id":"1"}')
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(bridge, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
