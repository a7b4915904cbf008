import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import {
  createDeviceCloud,
  type DeviceCloud,
  type CloudStore,
  createSingleUserSessions,
  type Sessions,
} from '@homeward/cloud-core'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { createWebhookSender } from '@homeward/cloud-core/webhooks'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createAccessGuard } from '@homeward/contract/handler'
import type { CloudSettings } from '../settings/cloud-settings.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { knownHosts, networkUrlsOf } from '../http/known-hosts.ts'
import {
  createLocalUserMark,
  createPageApis,
  type DevicesApi,
  type PlatformApi,
  prefixedEventsPath,
} from './page-apis.ts'
import { createPageListener, documentPage, type Pages } from '../dashboard/pages.ts'
import { openFiles } from './open-files.ts'
import { type SignIn, openSignIn } from '../sign-in/sign-in.ts'
import { createMeasures } from '../http/measure.ts'
import { openPort, pathOf } from '../http/open-port.ts'
import { isLoopback, type Settings } from '../settings/settings.ts'
import { homewardVersion } from '../program/version.ts'
import { readWebhookHosts } from '../settings/webhook-hosts.ts'
import { installPages } from './install-pages.ts'

async function describeInterface(): Promise<object> {
  const [{ toOpenApi }, { deviceCloudExamples: examples }] = await Promise.all([
    import('@homeward/contract/openapi'),
    import('@homeward/contract/examples'),
  ])
  const title = 'Homeward device cloud'
  return toOpenApi({ operations: deviceCloudOperations, examples, title, version: '0.1.0' })
}

/** How long after a heartbeat a device counts as online (C2): the dashboard says until when. */
const onlineWindowMs = 150_000

const localCloud: CloudSettings = {
  publicUrl: undefined,
  trustedProxies: [],
  offlineShare: undefined,
  s3: undefined,
  drive: undefined,
  oidc: undefined,
  retention: {},
  quotas: { pendingPerDevice: 1000 },
}

/** What the pages cannot ask the API for. */
interface CloudFacts {
  /** `http://127.0.0.1:3000` */
  readonly cloudUrl: string
  /** Address for devices in the network. Undefined if they cannot reach it. */
  readonly deviceUrl: string | undefined
  readonly onlineWindowMs: number
  /** Version of the device agent that belongs to this server. */
  readonly agentVersion: string
}

/** A running device cloud. */
export interface CloudServer extends DevicesApi {
  readonly cloud: DeviceCloud
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** How other machines in the network reach it: `http://192.0.2.7:3000`. Empty when they cannot. */
  readonly networkUrls: readonly string[]
  /** What the pages need to know of it. */
  readonly facts: CloudFacts
  /** Signing in at the identity provider. Undefined without a client of one. */
  readonly signIn: SignIn | undefined
  /**
   * Serves the agent platform on this port too: the pages are one application.
   *
   * @param hosts further `Host` headers to accept: those of the other port, whose pages call this API.
   */
  addPlatform(platform: PlatformApi, hosts: readonly string[]): void
  /** Ends held polls, answers what is under way for a second at most, writes what waits, and closes the port. */
  close(): Promise<void>
}

/**
 * Starts the device cloud: over SQLite and a folder for one fixed local user, unless the settings say otherwise.
 *
 * @param store instead of SQLite
 * @param dashboard shown at `/`. Undefined for none.
 */
export async function startCloudServer(
  settings: Pick<Settings, 'cloudHost' | 'cloudPort' | 'home'> &
    Partial<Pick<Settings, 'cloud' | 'allowedHosts'>>,
  store?: CloudStore,
  dashboard?: Dashboard,
): Promise<CloudServer> {
  const { cloudHost: host, cloudPort, home, allowedHosts = [] } = settings
  const { publicUrl, trustedProxies, offlineShare, oidc, s3, drive, retention, quotas } =
    settings.cloud ?? localCloud
  const [files, { sessions, signIn }] = await Promise.all([
    openFiles({ s3, drive }, home),
    openUsers({ oidc, publicUrl }, { home, hasPages: dashboard !== undefined }),
  ])
  const opened = await openPort({ host, port: cloudPort, variable: 'CLOUD_PORT', answersHalfOpen: true })
  const hosts = knownHosts({ host, allowedHosts: oidc || !isLoopback(host) ? allowedHosts : [] }, opened.port)
  let checkHost = createAccessGuard({ hosts })
  const guard: typeof checkHost = (request) => checkHost(request)
  const localUser = oidc === undefined ? createLocalUserMark() : undefined
  const measures = createMeasures()
  const cloud = createDeviceCloud({
    meter: measures.meter,
    metrics: measures.read,
    store: store ?? createSqliteStore({ path: join(home, 'cloud.db') }),
    ...files,
    sessions: localUser?.wrap(sessions) ?? sessions,
    trustedProxies,
    retention,
    quotas,
    ...(publicUrl !== undefined && { publicUrl }),
    onlineWindowMs,
    ...(offlineShare !== undefined && { offlineShare }),
    webhooks: createWebhookSender({ hosts: () => readWebhookHosts(home, process.env) }),
    guard,
    onError: (error) => console.error('cloud:', error),
  })
  const networkUrls = networkUrlsOf(host, opened.port)
  const deviceUrl = publicUrl?.replace(/\/+$/, '') ?? networkUrls[0]
  const facts = { cloudUrl: opened.url, deviceUrl, onlineWindowMs, agentVersion: homewardVersion }
  let platform: PlatformApi | undefined
  const answer: RequestListener = (request, response) => void cloud.node(request, response)
  const isBehindProxy = publicUrl !== undefined || allowedHosts.length > 0 || trustedProxies.length > 0
  const apis = createPageApis({
    port: 'devices',
    devices: { answer, localUser },
    platform: () => platform,
    isForThisMachine: oidc === undefined && !isBehindProxy,
    sessions: signIn?.sessions,
  })
  const pages: Pages = {
    '/openapi.json': documentPage(describeInterface),
    '/dashboard.json': async (_, caller) => {
      const serves = { devices: true, agents: await apis.servesPlatform(caller) }
      return Response.json({ serves, signIn: await signIn?.facts(caller), ...facts })
    },
    ...signIn?.pages,
    ...installPages({
      publicUrl: publicUrl?.replace(/\/+$/, ''),
      url: deviceUrl ?? opened.url,
      downloads: join(home, 'downloads'),
    }),
    ...(!dashboard && { '/': () => new Response('Homeward device cloud. See /openapi.json\n') }),
  }
  const showPage = createPageListener({
    pages,
    dashboard,
    guard,
    errorBody: (error) => error.body,
  })
  // The API does not pass through h3: its Node adapter would cost more than most answers do.
  opened.onRequest((request, response) => {
    if (apis.answer(request, response)) return
    const path = pathOf(request)
    const isForApi = path.startsWith('/api/') || path === '/mcp' || path === '/metrics'
    return isForApi ? answer(request, response) : showPage(request, response)
  })
  opened.onUpgrade([prefixedEventsPath], apis.upgrade)
  return {
    cloud,
    url: opened.url,
    networkUrls,
    facts,
    answer,
    localUser,
    signIn,
    addPlatform(added, moreHosts) {
      platform = added
      checkHost = createAccessGuard({ hosts: [...hosts, ...moreHosts] })
    },
    close: () => opened.close(() => cloud.close()),
  }
}

/**
 * Opens the sessions of users, and signing in on the pages.
 *
 * @param hasPages without pages, nobody can sign in
 */
async function openUsers(
  { oidc, publicUrl }: Pick<CloudSettings, 'oidc' | 'publicUrl'>,
  { home, hasPages }: { readonly home: string; readonly hasPages: boolean },
): Promise<{ readonly sessions: Sessions; readonly signIn: SignIn | undefined }> {
  const tokens = await openSessions(oidc)
  const signIn = hasPages ? await openSignIn({ oidc, publicUrl }, home) : undefined
  return { sessions: signIn?.sessions.wrap(tokens) ?? tokens, signIn }
}

/** Who users are: those of the identity provider, or, without one, a single user on this machine. */
async function openSessions(oidc: CloudSettings['oidc']): Promise<Sessions> {
  if (oidc === undefined) return createSingleUserSessions()
  // People sign in on the pages; programs use API tokens.
  if (oidc.audience === undefined) return { resolve: () => null }
  const { createOidcSessions } = await import('@homeward/cloud-core/oidc')
  const { issuer, audience, clients } = oidc
  return createOidcSessions({
    issuer,
    audience,
    ...(clients !== undefined && { authorizedParties: clients }),
    onRejected: (reason) => console.error(`cloud: a token was rejected: ${reason}`),
    onError: (error) => console.error('cloud: the identity provider failed:', error),
  })
}
