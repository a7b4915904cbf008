import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createRuntime, defineAgent, defineTool, type InferUITools } from '@homeward/agent-runtime'
import { createChatHandler } from '@homeward/agent-runtime/server'
import type { UIMessage } from 'ai'
import { build } from 'esbuild'
import * as z from 'zod'

// A chat with tools, approvals, stored conversations and answers that continue after a reload: `npm start`.

const isStarted = process.argv[1] === fileURLToPath(import.meta.url)
const pauseMs = isStarted ? 5000 : 0 // time to reload the page, or to stop the server, before an answer ends

const weather = defineTool({
  id: 'weather',
  description: 'Tells the weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  effects: 'read',
  returnsUntrustedContent: false,
  async execute({ city }, { writeData }) {
    writeData('status', `Looking out of a window in ${city}`, { transient: true })
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    return { city, celsius: 21, sky: 'clear' }
  },
})

const sendMail = defineTool({
  id: 'sendMail',
  description: 'Sends a mail.',
  inputSchema: z.object({ to: z.string(), text: z.string() }),
  effects: 'external',
  returnsUntrustedContent: false,
  needsApproval: () => true, // a person decides each call
  execute: ({ to }) => ({ sentTo: to }),
})

export const agent = defineAgent({
  id: 'assistant',
  // `test/tools` needs no key. Replace it with a model such as `openai/gpt-5.4-mini`.
  model: process.env['MODEL'] ?? 'test/tools',
  instructions: 'You help with the weather and with mails.',
  tools: [weather, sendMail],
})

/** Messages of the page, with typed parts: `tool-weather`, `tool-sendMail`, `data-status`. */
export type ChatMessage = UIMessage<unknown, { status: string }, InferUITools<typeof agent>>

/** Bundles the page. */
async function bundlePage(): Promise<string> {
  const page = fileURLToPath(new URL('page.tsx', import.meta.url))
  const { outputFiles } = await build({ entryPoints: [page], bundle: true, write: false, jsx: 'automatic' })
  return outputFiles[0]?.text ?? ''
}

const html = readFileSync(new URL('index.html', import.meta.url), 'utf8')

/** Starts the server. With `home`, chats are stored in this folder; else in memory. */
export async function startChat(options: Parameters<typeof createRuntime>[0] = {}, port = 0) {
  const runtime = createRuntime(options)
  await runtime.agents.put(agent)
  await runtime.start() // resumes answers that an earlier process has not finished
  const chat = createChatHandler({
    runtime,
    agent: agent.id,
    user: (request) => request.headers.get('x-user') ?? 'guest', // yours: the user of the session
  })
  const script = await bundlePage()
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/chat')) {
      void chat.node(request, response)
      return
    }
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const close = async () => {
    server.close()
    await runtime.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, runtime, close }
}

if (isStarted) {
  const port = Number(process.env['PORT'] ?? 3020)
  const { url, close } = await startChat({ home: 'data', logger: console }, port).catch(
    (error: NodeJS.ErrnoException) => {
      const inUse = `Starting the server failed: port ${port} is in use. Choose another one: PORT=3021 npm start`
      console.error(error.code === 'EADDRINUSE' ? inUse : error)
      process.exit(1)
    },
  )
  console.log(url)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}
