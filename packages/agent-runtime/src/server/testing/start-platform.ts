import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRuntime } from '../../runtime/create-runtime.ts'
import type { RuntimeOptions } from '../../runtime/runtime-options.ts'
import type { AgentRuntime } from '../../runtime/runtime.ts'
import { createScriptedModel, type ScriptedResponse } from '../../testing/scripted-model.ts'
import type { PlatformAuth } from '../access/platform-auth.ts'
import {
  createAgentPlatformHandler,
  type AgentPlatformHandlerOptions,
} from '../create-agent-platform-handler.ts'

/** An answer as a client that knows only the interface document reads it. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed JSON; empty when the answer is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a client looks into whatever came
  readonly body: any
}

export interface SendOptions {
  /** Sent as JSON, unless it is a form or text. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** The platform behind a real port or in process. */
export interface TestPlatform {
  readonly runtime: AgentRuntime
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly errors: unknown[]
  /** Like `fetch` with a path, over whichever way the platform is reached. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
  [Symbol.asyncDispose](): Promise<void>
}

export interface TestPlatformOptions extends RuntimeOptions {
  readonly auth?: PlatformAuth
  readonly handler?: Partial<AgentPlatformHandlerOptions>
  /** Goes on with this runtime instead of making one. */
  readonly runtime?: AgentRuntime
  /** Where to listen. @default any free port */
  readonly port?: number
}

export type Way = 'over HTTP' | 'in process'
export const ways: readonly Way[] = ['over HTTP', 'in process']

export async function startPlatform(way: Way, options: TestPlatformOptions = {}): Promise<TestPlatform> {
  const { auth = { kind: 'none' }, handler, runtime: given, port = 0, ...rest } = options
  const runtime = given ?? createRuntime({ environment: {}, ...rest })
  const errors: unknown[] = []
  const platform = createAgentPlatformHandler({
    runtime,
    auth,
    checkReplies: true,
    onError: (error) => errors.push(error),
    ...handler,
  })
  let server: Server | undefined
  let url = 'http://127.0.0.1:3010'
  if (way === 'over HTTP') {
    server = createServer((request, response) => void platform.node(request, response))
    await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const call: TestPlatform['fetch'] = (path, init) => {
    return server ? fetch(url + path, init) : platform.fetch(new Request(url + path, init))
  }

  return {
    runtime,
    url,
    errors,
    fetch: call,
    async send(method, path, { body, headers, signal } = {}) {
      const isJson = body !== undefined && !(body instanceof FormData) && typeof body !== 'string'
      const response = await call(path, {
        method,
        headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
        ...(signal && { signal }),
      })
      const text = await response.text()
      const parsed: unknown = response.headers.get('content-type')?.startsWith('application/json')
        ? JSON.parse(text)
        : {}
      return { status: response.status, headers: response.headers, text, body: parsed }
    },
    async [Symbol.asyncDispose]() {
      await runtime.close()
      server?.closeAllConnections()
      await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
    },
  }
}

/** A platform with one agent for each script, and the agent `echo`. */
export async function startWithScripts(
  way: Way,
  scripts: Readonly<Record<string, readonly ScriptedResponse[]>> = {},
  options: TestPlatformOptions = {},
): Promise<TestPlatform> {
  const models = Object.fromEntries(
    Object.entries(scripts).map(([id, steps]) => [id, createScriptedModel(steps)]),
  )
  const platform = await startPlatform(way, {
    models: { mine: (id) => models[id] ?? createScriptedModel([]) },
    retry: { attempts: 0 },
    ...options,
  })
  const agents = [
    { id: 'echo', model: 'test/echo' },
    ...Object.keys(scripts).map((id) => ({ id, model: `mine/${id}` })),
  ]
  for (const body of agents) await platform.send('POST', '/api/agents', { body })
  return platform
}
