import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The official clients: of version 1, and of version 2 with the older and the newest protocol. */
export const generations = ['version 1', 'version 2, older protocol', 'version 2'] as const
export type Generation = (typeof generations)[number]

/** What a client was told while a call went on. */
interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A result as a program reads it. */
interface ToolAnswer {
  readonly isError: boolean
  /** The JSON in the text of the result. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a client looks into whatever came
  readonly value: any
  readonly text: string
  readonly content: readonly { readonly type: string; readonly [field: string]: unknown }[]
  readonly progress: readonly Progress[]
}

/** One connected client, whatever its generation. */
interface McpTestClient extends AsyncDisposable {
  readonly instructions: string | undefined
  readonly protocol: string | undefined
  read(
    uri: string,
  ): Promise<readonly { uri: string; mimeType?: string | undefined; text?: string; blob?: string }[]>
  tools(): Promise<readonly { name: string; description?: string | undefined; inputSchema: object }[]>
  call(name: string, args?: object, told?: (progress: Progress) => void): Promise<ToolAnswer>
}

/** What a person answers to a question: its text and schema, or its address. */
export type Answerer = (question: {
  readonly mode?: string
  readonly message: string
  readonly requestedSchema?: { readonly properties: Readonly<Record<string, object>> }
  readonly url?: string
}) => Promise<{
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}>

/** Where a client connects to: an address, or a program on stdio. */
type McpTarget =
  | { readonly url: string; readonly headers?: Record<string, string>; readonly fetch?: typeof fetch }
  | { readonly command: string; readonly args: string[]; readonly env?: Record<string, string> }

export async function openMcpClient(
  generation: Generation,
  target: McpTarget,
  answer?: Answerer,
): Promise<McpTestClient> {
  const name = { name: 'test', version: '1' }
  if (generation === 'version 1') {
    const client = new OldClient(name)
    await client.connect(
      'url' in target ? new OldTransport(new URL(target.url), http(target)) : new OldStdio(target),
    )
    return wrap(client, client.getServerCapabilities() ? 'older' : undefined, (request, options) =>
      client.callTool(request, undefined, options),
    )
  }
  const mode = generation === 'version 2' ? 'auto' : 'legacy'
  const client = new NewClient(name, {
    versionNegotiation: { mode },
    ...(answer && { capabilities: { elicitation: { form: {}, url: {} } } }),
  })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params as never))
  await client.connect(
    'url' in target ? new NewTransport(new URL(target.url), http(target)) : new NewStdio(target),
  )
  return wrap(client, client.getNegotiatedProtocolVersion(), (request, options) =>
    client.callTool(request, options),
  )
}

const http = ({ headers = {}, fetch: send }: Extract<McpTarget, { url: string }>) => ({
  requestInit: { headers },
  ...(send && { fetch: send }),
})

function wrap(
  client: Pick<OldClient, 'listTools' | 'getInstructions' | 'readResource' | 'close'> | NewClient,
  protocol: string | undefined,
  call: (
    request: { name: string; arguments: Record<string, unknown> },
    options: { onprogress: (progress: Progress) => void },
  ) => Promise<object>,
): McpTestClient {
  return {
    protocol,
    instructions: client.getInstructions(),
    read: async (uri) => (await client.readResource({ uri })).contents,
    tools: async () => (await client.listTools()).tools,
    async call(name, args = {}, told) {
      const progress: Progress[] = []
      const onprogress = (one: Progress) => {
        progress.push(one)
        told?.(one)
      }
      const result = (await call({ name, arguments: { ...args } }, { onprogress })) as {
        isError?: boolean
        content: { type: string; text?: string }[]
      }
      const text = result.content[0]?.text ?? ''
      return {
        isError: result.isError === true,
        value: JSON.parse(text),
        text,
        content: result.content,
        progress,
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
