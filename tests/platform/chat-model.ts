import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createMockChatProvider, type MockChatProviderOptions } from '@homeward/agent-runtime/testing'

/**
 * A Chat Completions server on loopback, and the variables that lead the server to it as `openai/<id>`.
 *
 * @param hold Awaited before the request of a number, from 0, is read by the model
 */
export async function startChatModel(
  options: MockChatProviderOptions,
  hold?: (number: number) => Promise<void> | undefined,
) {
  const standIn = createMockChatProvider(options)
  let count = 0
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = `http://model.example${request.url}`
    const body = await text(request)
    const number = count
    count += 1
    await hold?.(number)
    const reply = await standIn.fetch(url, { method: 'POST', body })
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
    response.end(await reply.text())
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    standIn,
    environment: { OPENAI_API_KEY: 'sk-local', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
