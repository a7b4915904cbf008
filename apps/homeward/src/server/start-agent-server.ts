import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { join } from 'node:path'
import { createRuntime, RuntimeError, type AgentRuntime, type Prices } from '@homeward/agent-runtime'
import { createRunMetrics, createRunSpans } from '@homeward/agent-runtime/telemetry'
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
import type { Handler, RequestView } from '@homeward/contract/handler'
import { prepareDemoAgent } from './demo-agent.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { createEventServer } from './event-server.ts'
import { knownHosts } from '../http/known-hosts.ts'
import { openStorage } from './open-storage.ts'
import { packageFolder } from '../program/package-folder.ts'
import { createPageApis, type PlatformApi, platformPrefix, prefixedEventsPath } from './page-apis.ts'
import type { CloudServer } from './start-cloud-server.ts'
import {
  createPageListener,
  documentPage,
  findPage,
  type PageOptions,
  type Pages,
} from '../dashboard/pages.ts'
import { createMeasures } from '../http/measure.ts'
import { openPort, pathOf } from '../http/open-port.ts'
import { isLoopback, namesAdmins, type Settings } from '../settings/settings.ts'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'

const seedFolder = join(packageFolder, 'skills')

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
 * @param cloud the device cloud: the skill that searches devices calls it, and both ports serve both APIs to the pages
 * @param dashboard shown at `/`. Undefined for none.
 * @throws {Error} when it would listen on more than loopback and there is no token (A19).
 */
export async function startAgentServer(
  settings: Settings,
  cloud: CloudServer,
  dashboard?: Dashboard,
): Promise<AgentServer> {
  const { host, port } = settings
  let hosts: string[] = []
  let platformOrigins: string[] = []
  const { runtime, prices } = await openRuntime(settings, cloud.url, () => platformOrigins)
  const spans = isTraced() ? await createRunSpans({ runtime }) : undefined
  // The port comes first: a second server by mistake ends here, before it takes over any work.
  const opened = await openPort({ host, port, variable: 'PORT' })
  // its pages are served on the port of the device cloud too
  const cloudPort = Number(new URL(cloud.url).port || 80)
  const ownHosts = knownHosts(settings, opened.port)
  const cloudHosts = knownHosts(settings, cloudPort)
  hosts = [...ownHosts, ...cloudHosts]
  // A skill may call the device cloud, but not the platform by the cloud's port.
  platformOrigins = [
    ...ownHosts.map((name) => `http://${name}`),
    ...cloudHosts.map((name) => `http://${name}${platformPrefix}`),
  ]
  const guard =
    isLoopback(host) && settings.allowedHosts.length === 0 ? loopbackGuard : createAccessGuard({ hosts })
  const sessions = cloud.signIn?.sessions
  cloud.signIn?.follow(() => runtime.agents.list())
  const isProtected = !isLoopback(host) || namesAdmins(settings)
  const recognized = sessions && {
    recognize: (request: RequestView) => sessions.recognize(request, () => runtime.agents.list()),
  }
  const auth: PlatformAuth = { kind: 'settings', required: isProtected, ...recognized }
  const trustedProxies = settings.cloud?.trustedProxies ?? []
  const onError = (error: unknown) => console.error('agents:', error)
  const measures = createMeasures()
  const runMetrics = createRunMetrics({ runtime, meter: measures.meter, prices })
  const platform = createAgentPlatformHandler({
    runtime,
    guard,
    auth,
    trustedProxies,
    // the processes of one database share what they seal
    ...(settings.databaseUrl !== undefined && { cursorSecret: `cursors of ${settings.databaseUrl}` }),
    onError,
    meter: measures.meter,
    metrics: measures.read,
  })
  const events = createEventServer(createEventSockets({ runtime, guard, auth, trustedProxies, onError }))
  const answer: RequestListener = (request, response) => void platform.node(request, response)
  const api: PlatformApi = {
    answer,
    upgrade: events.handleUpgrade,
    needsToken: async () => isProtected || (await runtime.settings.read()).api_token !== undefined,
    isAdministrator: (request) => isAdministrator(platform, request, hosts[0]!),
  }
  const apis = createPageApis({
    port: 'agents',
    devices: cloud,
    platform: () => api,
    isForThisMachine: true,
    sessions,
  })
  opened.onUpgrade([eventsPath, prefixedEventsPath], apis.upgrade)
  const page = pageOptions(cloud, dashboard, guard)
  const showPage = createPageListener(page)
  const prepared = prepare(runtime, settings)
  // The first answer comes when there is everything that the server promises: who waits for it finds the demo agent.
  const whenPrepared = (listener: RequestListener): RequestListener => {
    return (request, response) =>
      void prepared.then(
        () => listener(request, response),
        () => response.destroy(), // the process ends
      )
  }
  opened.onRequest(
    whenPrepared((request, response) => {
      if (apis.answer(request, response)) return
      if (isForPage(request, page)) showPage(request, response)
      else answer(request, response)
    }),
  )
  const demoModel = await prepared
  cloud.addPlatform(api, ownHosts)
  return {
    runtime,
    demoModel,
    url: opened.url,
    close: () =>
      opened.close(async () => {
        events.close()
        runMetrics.close()
        await runtime.close()
        await spans?.close()
      }, cutAfterMs),
  }
}

/** Whether somebody registered a tracer provider of OpenTelemetry, such as with `node --import`. */
function isTraced(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'))
  return typeof registered === 'object' && registered !== null && 'trace' in registered
}

/** Whether the token of a request may administer the platform. A wrong one counts for the caller of the request. */
async function isAdministrator(platform: Handler, request: IncomingMessage, host: string): Promise<boolean> {
  const { authorization = '', 'x-forwarded-for': forwarded } = request.headers
  const headers = new Headers({ authorization, host })
  if (forwarded !== undefined) headers.set('x-forwarded-for', String(forwarded))
  const { remoteAddress } = request.socket
  const context = remoteAddress === undefined ? {} : { remoteAddress }
  return (await platform.fetch(new Request(`http://${host}/api/tokens`, { headers }), context)).ok
}

async function openRuntime(settings: Settings, cloudUrl: string, platformOrigins: () => readonly string[]) {
  const { home } = settings
  const prices = await readPrices(home)
  const runtime = createRuntime({
    home,
    ...(await openStorage(settings)),
    prices,
    seedFolder,
    skillBase: { 'device-search': cloudUrl },
    platformOrigins,
    closeGraceMs,
    ...(!isLocal(settings) && { minApiTokenLength: minTokenLength }),
    logger: {
      warn: (message, details) => console.warn('agents:', message, details ?? ''),
      error: (message, details) => console.error('agents:', message, details ?? ''),
    },
  })
  await checkToken(runtime, settings)
  return { runtime, prices }
}

function pageOptions(
  cloud: CloudServer,
  dashboard: Dashboard | undefined,
  guard: PageOptions['guard'],
): PageOptions {
  const pages: Pages = {
    [eventsPath]: refusePlainEvents,
    '/openapi.json': documentPage(() => createAgentPlatformDocument()),
    '/dashboard.json': async (_, caller) => {
      const serves = { devices: true, agents: true }
      return Response.json({ serves, signIn: await cloud.signIn?.facts(caller), ...cloud.facts })
    },
    ...cloud.signIn?.pages,
    ...(!dashboard && { '/': () => new Response('Homeward agent platform. See /openapi.json\n') }),
  }
  return { pages, dashboard, guard, errorBody }
}

const isForApi = (path: string) =>
  ['/mcp', '/metrics', '/v1', '/health', '/mcp-servers/callback'].includes(path) ||
  path.startsWith('/api/') ||
  path.startsWith('/v1/') ||
  path.startsWith('/agui/')

/** What is neither of the API nor a page, the platform refuses in its own words. */
function isForPage(request: IncomingMessage, { pages, dashboard }: PageOptions): boolean {
  const path = pathOf(request)
  if (findPage(pages, path) || findPage(pages, `${request.method} ${path}`)) return true
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

/** Shortest token of a server that others can reach, in characters. */
const minTokenLength = 16

const isLocal = ({ host, cloudHost }: Settings) => isLoopback(host) && isLoopback(cloudHost)

async function checkToken(runtime: AgentRuntime, settings: Settings): Promise<void> {
  const { host } = settings
  const { api_token: token } = await runtime.settings.read()
  const isFine = token === undefined ? isLoopback(host) : token.length >= minTokenLength || isLocal(settings)
  if (isFine) return
  await runtime.close()
  if (token !== undefined)
    throw new Error(
      `Starting the server failed: others could reach it, and API_TOKEN has fewer than ${minTokenLength} characters. ` +
        'Set a random one, such as the output of "openssl rand -hex 32".',
    )
  throw new Error(
    `Starting the server failed: on HOST ${host} others could reach it, and there is no access token. ` +
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

const usd = z.number().nonnegative()

/** By `provider/model-id`. */
const PriceFile = z.record(
  z.string().regex(/^[^/\s]+\/\S+$/, 'a model is named <provider>/<model id>'),
  z.strictObject({
    inputPerMillion: usd,
    outputPerMillion: usd,
    cachedInputPerMillion: usd.optional(),
    cacheWritePerMillion: usd.optional(),
  }),
)

/**
 * Reads the operator's own prices from `prices.json` in the data home: US dollars for a million tokens. Without the file, and for
 * models that are not in it, the prices of the catalog and those saved by `PUT /api/prices/{model}` count.
 *
 * @throws {Error} that says what is wrong with the file.
 */
export async function readPrices(home: string): Promise<Prices> {
  const path = join(home, 'prices.json')
  const attempt = `Starting the server failed: ${path} cannot be used`
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${attempt}: the file cannot be read. Check its permissions.`, { cause })
  }
  const parsed = PriceFile.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, 3).map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(
    `${attempt}. Write {"<provider>/<model id>": {"inputPerMillion": 1, "outputPerMillion": 4}}.\n  ${problems.join('\n  ')}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
