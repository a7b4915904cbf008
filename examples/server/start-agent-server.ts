import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { createRuntime, RuntimeError, type AgentRuntime } from '@homeward/agent-runtime'
import {
  createAccessGuard,
  createAgentPlatformDocument,
  createAgentPlatformHandler,
  loopbackGuard,
  type HttpError,
} from '@homeward/agent-runtime/server'
import { platformErrorReplies } from '@homeward/contract/agent-platform'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import { knownHosts } from './known-hosts.ts'
import { answerPage, type Pages } from './pages.ts'
import { openPort } from './serve.ts'
import { isLoopback, type Settings } from './settings.ts'

const seedFolder = resolve(import.meta.dirname, '../skills')

const pages: Pages = {
  '/': () => new Response('Homeward agent platform. See /openapi.json\n'),
  '/openapi.json': async () => Response.json(await createAgentPlatformDocument()),
}

/** A running agent platform. */
export interface AgentServer {
  readonly runtime: AgentRuntime
  /** `http://127.0.0.1:3010` */
  readonly url: string
  /** Stops runs with their tools and streams, and closes the port. */
  close(): Promise<void>
}

/**
 * Starts the agent platform over the data home.
 *
 * @param cloudUrl where the skill that searches devices finds the device cloud
 * @throws {Error} when it would listen on more than loopback and there is no token (A19).
 */
export async function startAgentServer(settings: Settings, cloudUrl: string): Promise<AgentServer> {
  const { host, port, home } = settings
  let hosts: string[] = []
  const runtime = createRuntime({
    home,
    seedFolder,
    skillBase: { 'device-search': cloudUrl },
    platformOrigins: () => hosts.map((name) => `http://${name}`),
    logger: {
      warn: (message, details) => console.warn('agents:', message, details ?? ''),
      error: (message, details) => console.error('agents:', message, details ?? ''),
    },
  })
  await checkToken(runtime, host)
  // The port comes first: whoever has it is the only one who may settle what an earlier process left behind.
  const opened = await openPort({ host, port, variable: 'PORT' })
  hosts = knownHosts(settings, opened.port)
  const guard =
    isLoopback(host) && settings.allowedHosts.length === 0 ? loopbackGuard : createAccessGuard({ hosts })
  const platform = createAgentPlatformHandler({
    runtime,
    guard,
    auth: { kind: 'settings', required: !isLoopback(host) },
    onError: (error) => console.error('agents:', error),
  })
  const showPage = toNodeHandler(
    new H3().all('/**', (event) => answerPage(event.req, { pages, guard, errorBody })),
  )
  opened.onRequest((request, response) =>
    Object.hasOwn(pages, request.url?.split('?')[0] ?? '')
      ? showPage(request, response)
      : void platform.node(request, response),
  )
  await runtime.runs.recover()
  await installSeeds(runtime)
  return { runtime, url: opened.url, close: () => opened.close(() => runtime.close()) }
}

async function checkToken(runtime: AgentRuntime, host: string): Promise<void> {
  const { api_token: token } = await runtime.settings.read()
  if (token !== undefined || isLoopback(host)) return
  await runtime.close()
  throw new Error(
    `Starting the server: on HOST ${host} others could reach it, and there is no access token. ` +
      'Set API_TOKEN, or api_token in config.json, or leave HOST at 127.0.0.1.',
  )
}

/** What is there stays. A seed that does not fit what the user installed must not keep the server from starting. */
async function installSeeds(runtime: AgentRuntime): Promise<void> {
  try {
    await runtime.skills.installSystem()
  } catch (error) {
    if (!RuntimeError.is(error)) throw error
    console.warn('agents:', error.message)
  }
}

const replies: Readonly<Record<number, { readonly code?: string }>> = platformErrorReplies

/** The pages' errors in the words of the platform (A2). */
function errorBody({ status, body }: HttpError): object {
  return { ...body, code: replies[status]?.code ?? 'error', request_id: randomUUID() }
}
