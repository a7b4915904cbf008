import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import { createRuntime, RuntimeError, type AgentRuntime } from '@homeward/agent-runtime'
import {
  createAccessGuard,
  createAgentPlatformDocument,
  createAgentPlatformHandler,
  createEventSockets,
  HttpError,
  loopbackGuard,
  type PlatformAuth,
} from '@homeward/agent-runtime/server'
import { platformErrorReplies } from '@homeward/contract/agent-platform'
import { prepareDemoAgent } from './demo-agent.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { createEventServer } from './event-server.ts'
import { knownHosts } from '../http/known-hosts.ts'
import { openStorage } from '../open-storage.ts'
import { type NeighbourServer, otherDashboard } from '../dashboard/other-dashboard.ts'
import {
  createPageListener,
  documentPage,
  findPage,
  type PageOptions,
  type Pages,
} from '../dashboard/pages.ts'
import { readPrices } from './read-prices.ts'
import { openPort, pathOf } from '../http/open-port.ts'
import { isLoopback, type Settings } from '../settings/settings.ts'

const seedFolder = resolve(import.meta.dirname, '../../skills')

const eventsPath = '/api/events'
/** How long tools at work get once the server closes: with the end of programs that ignore it, well below 2.5 s. */
const closeGraceMs = 1000
/** Until then whoever waits for a run is told that it goes on at the next start: behind the last program's end. */
const cutAfterMs = 2250

function refusePlainEvents(): never {
  const message = 'Open a WebSocket to this address, or read GET /api/logs.'
  const error = 'Upgrade required'
  throw new HttpError(426, { error, code: 'upgrade_required', message }, { upgrade: 'websocket' })
}

/** A running agent platform. */
export interface AgentServer {
  readonly runtime: AgentRuntime
  /** Model of the demo agent. */
  readonly demoModel: string
  /** `http://127.0.0.1:3010` */
  readonly url: string
  /** Stops runs with their tools, streams and sockets, and closes the port. */
  close(): Promise<void>
}

/**
 * Starts the agent platform over the data home.
 *
 * @param cloud where the skill that searches devices finds the device cloud, and the dashboard the other one
 * @param dashboard shown at `/`. Undefined for none.
 * @throws {Error} when it would listen on more than loopback and there is no token (A19).
 */
export async function startAgentServer(
  settings: Settings,
  cloud: NeighbourServer,
  dashboard?: Dashboard,
): Promise<AgentServer> {
  const { host, port, home } = settings
  let hosts: string[] = []
  const prices = await readPrices(home)
  const runtime = createRuntime({
    home,
    ...(await openStorage(settings.databaseUrl)),
    prices,
    seedFolder,
    skillBase: { 'device-search': cloud.url },
    platformOrigins: () => hosts.map((name) => `http://${name}`),
    closeGraceMs,
    logger: {
      warn: (message, details) => console.warn('agents:', message, details ?? ''),
      error: (message, details) => console.error('agents:', message, details ?? ''),
    },
  })
  await checkToken(runtime, host)
  // The port comes first: a second server by mistake ends here, before it takes over any work.
  const opened = await openPort({ host, port, variable: 'PORT' })
  hosts = knownHosts(settings, opened.port)
  const guard =
    isLoopback(host) && settings.allowedHosts.length === 0 ? loopbackGuard : createAccessGuard({ hosts })
  const auth: PlatformAuth = { kind: 'settings', required: !isLoopback(host) }
  const onError = (error: unknown) => console.error('agents:', error)
  const platform = createAgentPlatformHandler({ runtime, guard, auth, onError })
  const events = createEventServer(createEventSockets({ runtime, guard, auth, onError }))
  opened.onUpgrade(eventsPath, events.handleUpgrade)
  const page = pageOptions(cloud, dashboard, guard)
  const showPage = createPageListener(page)
  const prepared = prepare(runtime, settings)
  // The first answer comes when there is everything that the server promises: who waits for it finds the demo agent.
  opened.onRequest((request, response) => {
    const isPage = isForPage(request, page)
    const answer = () => (isPage ? showPage(request, response) : platform.node(request, response))
    void prepared.then(answer, () => response.destroy()) // the process ends
  })
  const demoModel = await prepared
  return {
    runtime,
    demoModel,
    url: opened.url,
    close: () =>
      opened.close(async () => {
        events.close()
        await runtime.close()
      }, cutAfterMs),
  }
}

function pageOptions(
  cloud: NeighbourServer,
  dashboard: Dashboard | undefined,
  guard: PageOptions['guard'],
): PageOptions {
  const pages: Pages = {
    [eventsPath]: refusePlainEvents,
    '/openapi.json': documentPage(() => createAgentPlatformDocument()),
    '/dashboard.json': (request) => Response.json({ other: otherDashboard(request, cloud) }),
    ...(!dashboard && { '/': () => new Response('Homeward agent platform. See /openapi.json\n') }),
  }
  return { pages, dashboard: dashboard && { name: 'agents', of: dashboard }, guard, errorBody }
}

const isForApi = (path: string) =>
  path.startsWith('/api/') || path === '/v1' || path.startsWith('/v1/') || path === '/health'

/** What is neither of the API nor a page, the platform refuses in its own words. */
function isForPage(request: IncomingMessage, { pages, dashboard }: PageOptions): boolean {
  const path = pathOf(request)
  if (findPage(pages, path)) return true
  if (!dashboard || isForApi(path)) return false
  return path === '/' || path.startsWith('/assets/') || request.headers.accept?.includes('text/html') === true
}

/** @returns the model of the demo agent. */
async function prepare(runtime: AgentRuntime, { demoModel }: Settings): Promise<string> {
  await installSeeds(runtime)
  const model = await prepareDemoAgent(runtime, demoModel)
  await runtime.start()
  return model
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
  return { ...body, code: body.code ?? replies[status]?.code ?? 'error', request_id: randomUUID() }
}
