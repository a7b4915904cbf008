import { join } from 'node:path'
import { createFolderBlobs } from '@homeward/cloud-core/blobs/fs'
import { createCloud, createLocalSessions, type Cloud, type CloudStore } from '@homeward/cloud-core'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createAccessGuard } from '@homeward/contract/handler'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import { answerPage, type Pages } from './pages.ts'
import { openPort } from './serve.ts'
import type { Settings } from './settings.ts'

const pages: Pages = {
  '/': () => new Response('Homeward device cloud. See /openapi.json\n'),
  async '/openapi.json'() {
    const { toOpenApi } = await import('@homeward/contract/openapi')
    const title = 'Homeward device cloud'
    return Response.json(toOpenApi({ operations: deviceCloudOperations, title, version: '0.1.0' }))
  },
}

/** A running device cloud. */
export interface CloudServer {
  readonly cloud: Cloud
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** Ends held polls, answers what is under way for a second at most, writes what waits, and closes the port. */
  close(): Promise<void>
}

/**
 * Starts the device cloud over SQLite and a folder, on loopback, for one fixed local user.
 *
 * @param store instead of SQLite
 */
export async function startCloudServer(
  settings: Pick<Settings, 'cloudHost' | 'cloudPort' | 'home'>,
  store?: CloudStore,
): Promise<CloudServer> {
  const { cloudHost: host, cloudPort, home } = settings
  const opened = await openPort({ host, port: cloudPort, variable: 'CLOUD_PORT' })
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${opened.port}`)
  const guard = createAccessGuard({ hosts })
  const cloud = createCloud({
    store: store ?? createSqliteStore({ path: join(home, 'cloud.db') }),
    blobs: createFolderBlobs({ folder: join(home, 'files') }),
    sessions: createLocalSessions(),
    guard,
    onError: (error) => console.error('cloud:', error),
  })
  const page = { pages, guard, errorBody: (error: { readonly body: object }) => error.body }
  const showPage = toNodeHandler(new H3().all('/**', (event) => answerPage(event.req, page)))
  // The API does not pass through h3: its Node adapter would cost more than most answers do.
  opened.onRequest((request, response) =>
    request.url?.startsWith('/api/') ? void cloud.node(request, response) : showPage(request, response),
  )
  return { cloud, url: opened.url, close: () => opened.close(() => cloud.close()) }
}
