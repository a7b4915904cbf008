import { join } from 'node:path'
import { createCloud, type Cloud, type CloudStore } from '@homeward/cloud-core'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createAccessGuard } from '@homeward/contract/handler'
import type { CloudSettings } from '../settings/cloud-settings.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { knownHosts } from '../http/known-hosts.ts'
import { type NeighbourServer, otherDashboard } from '../dashboard/other-dashboard.ts'
import { createPageListener, documentPage, type Pages } from '../dashboard/pages.ts'
import { openFiles } from './open-files.ts'
import { openSessions } from './open-sessions.ts'
import { openPort, pathOf } from '../http/open-port.ts'
import type { Settings } from '../settings/settings.ts'

async function describeInterface(): Promise<object> {
  const { toOpenApi } = await import('@homeward/contract/openapi')
  const title = 'Homeward device cloud'
  return toOpenApi({ operations: deviceCloudOperations, title, version: '0.1.0' })
}

/** How long after a heartbeat a device counts as online (C2): the dashboard says until when. */
const onlineWindowMs = 150_000

const localCloud: CloudSettings = { publicUrl: undefined, s3: undefined, drive: undefined, oidc: undefined }

/** A running device cloud. */
export interface CloudServer {
  readonly cloud: Cloud
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** Has the dashboard lead to the server beside this one. */
  setNeighbour(server: NeighbourServer): void
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
  const { publicUrl, oidc, s3, drive } = settings.cloud ?? localCloud
  const [files, sessions] = await Promise.all([openFiles({ s3, drive }, home), openSessions(oidc)])
  const opened = await openPort({ host, port: cloudPort, variable: 'CLOUD_PORT', answersHalfOpen: true })
  const guard = createAccessGuard({
    hosts: knownHosts({ host, allowedHosts: oidc ? allowedHosts : [] }, opened.port),
  })
  const cloud = createCloud({
    store: store ?? createSqliteStore({ path: join(home, 'cloud.db') }),
    ...files,
    sessions,
    ...(publicUrl !== undefined && { publicUrl }),
    onlineWindowMs,
    guard,
    onError: (error) => console.error('cloud:', error),
  })
  let neighbour: NeighbourServer | undefined
  const pages: Pages = {
    '/openapi.json': documentPage(describeInterface),
    '/dashboard.json': (request) =>
      Response.json({ other: otherDashboard(request, neighbour), onlineWindowMs }),
    ...(!dashboard && { '/': () => new Response('Homeward device cloud. See /openapi.json\n') }),
  }
  const showPage = createPageListener({
    pages,
    dashboard: dashboard && { name: 'devices', of: dashboard },
    guard,
    errorBody: (error) => error.body,
  })
  // The API does not pass through h3: its Node adapter would cost more than most answers do.
  opened.onRequest((request, response) => {
    const isForApi = pathOf(request).startsWith('/api/')
    return isForApi ? void cloud.node(request, response) : showPage(request, response)
  })
  return {
    cloud,
    url: opened.url,
    setNeighbour: (server) => (neighbour = server),
    close: () => opened.close(() => cloud.close()),
  }
}
