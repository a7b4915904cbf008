import { expect, it } from 'vitest'
import { loadMcpClient } from './load-mcp-client.ts'
import { createStdioTransport } from './stdio-transport.ts'

it('keeps the digits of long integers, wherever the pieces of a message end', async () => {
  const message =
    '{"jsonrpc":"2.0","method":"note","params":{"text":"ü 1234567890123456789","id":2512292042121000001}}'
  const script = `
    const bytes = Buffer.from(${JSON.stringify(`${message}\n${message}\n`)})
    const write = (at) => at < bytes.length && process.stdout.write(bytes.subarray(at, at + 7), () => write(at + 7))
    write(0)
    process.stdin.resume()`
  const server = { command: process.execPath, args: ['-e', script] }
  const transport = createStdioTransport(server, process.env, await loadMcpClient())
  const messages: unknown[] = []
  await new Promise<void>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way to tell
    transport.onmessage = (received) => {
      messages.push(received)
      if (messages.length === 2) resolve()
    }
    void transport.start()
  })
  await transport.close()
  const params = { text: 'ü 1234567890123456789', id: '2512292042121000001' }
  expect(messages).toMatchObject([{ params }, { params }])
})
