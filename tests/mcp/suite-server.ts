import { createServer } from 'node:http'
import { toNode, type RequestView } from '@homeward/contract/handler'
import {
  createMcpEndpoint,
  defineMcpTool,
  type McpContext,
  type McpMessage,
  type McpQuestion,
  type McpResult,
  type McpQuestions,
} from '@homeward/contract/mcp'
import * as z from 'zod/mini'

// The tools and resources that the public suite of MCP expects of a server, over `createMcpEndpoint`.

type Answer = McpResult | McpQuestions
type Context = McpContext<Record<string, never>>

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const form = (message: string, name: string, type: string): McpQuestion => ({
  mode: 'form',
  message,
  schema: { type: 'object', properties: { [name]: { type } }, required: [name] },
})

const askName = (key: string, state: string): McpQuestions => ({
  questions: { [key]: form('What is your name?', 'name', 'string') },
  state,
})

const text = (value: string): McpResult => ({ value: { text: value } })

const tools: Readonly<Record<string, (context: Context) => Answer | Promise<Answer>>> = {
  test_simple_text: () => text('This is a simple text response for testing.'),
  test_logging_tool: () => text('It logs nothing.'),
  test_image_content: () => ({
    value: {},
    content: [{ type: 'image', data: picture, mimeType: 'image/png' }],
  }),
  test_error_handling: () => Promise.reject(new Error('This tool intentionally fails')),
  async test_tool_with_progress({ progress }) {
    for (const done of [0, 50, 100]) await progress('Working', done, 100)
    return text('Done.')
  },
  test_missing_capability: () => askName('name', ''),
  test_streaming_elicitation: () => askName('name', ''),
  test_input_required_result_elicitation({ answered }) {
    const name = answered?.answers['user_name']?.content?.['name']
    return typeof name === 'string' ? text(`Hello, ${name}!`) : askName('user_name', 'asked')
  },
  test_input_required_result_request_state({ answered }) {
    if (answered?.answers['confirm'] && answered.state === 'first') return text('state-ok')
    return { questions: { confirm: form('Please confirm', 'ok', 'boolean') }, state: 'first' }
  },
  test_input_required_result_multi_round({ answered }) {
    if (answered?.answers['step2'] && answered.state === 'second') return text('Done.')
    if (answered?.answers['step1'] && answered.state === 'first')
      return { questions: { step2: form('Step 2: What is your color?', 'color', 'string') }, state: 'second' }
    return askName('step1', 'first')
  },
}

const resources: Readonly<Record<string, string>> = {
  'test://static-text': 'This is the content of the static text resource.',
}

const loopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

/** Serves the tools of the suite at `/mcp` of a free port. */
export async function startSuiteServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const endpoint = createMcpEndpoint({
    name: 'suite',
    title: 'Suite',
    version: '1.0.0',
    instructions: 'Tools that a test suite expects.',
    operations: {},
    tools: Object.entries(tools).map(([name, execute]) =>
      defineMcpTool<Record<string, never>>()({
        name,
        title: name,
        description: `What the suite expects of ${name}.`,
        hints: { readOnlyHint: true },
        inputSchema: z.object({}),
        execute: async (_input, context) => execute(context),
      }),
    ),
    async readResource(uri) {
      if (uri === 'test://static-binary') return { mimeType: 'image/png', blob: picture }
      const found = resources[uri]
      return found === undefined ? undefined : { mimeType: 'text/plain', text: found }
    },
    respond: () => Promise.reject(new Error('No tool calls a route')),
    onError: () => {}, // of the tool that fails
  })
  const respond = async (request: RequestView) => {
    const origin = request.header('origin')
    const isOwn =
      loopback.test(request.header('host') ?? '') &&
      (origin === undefined || loopback.test(new URL(origin).host))
    if (!isOwn) return { status: 403, headers: {}, body: null }
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' }, body: null }
    const bytes = await Array.fromAsync(request.body())
    return endpoint(request, JSON.parse(Buffer.concat(bytes).toString()) as McpMessage)
  }
  const server = createServer((request, response) => void toNode(respond)(request, response))
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', opened)
  await isOpen
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
