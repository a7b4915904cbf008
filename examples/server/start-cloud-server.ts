import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createFolderBlobs } from '@homeward/cloud-core/blobs/fs'
import { createCloud, createLocalSessions, type Cloud, type CloudStore } from '@homeward/cloud-core'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { createAccessGuard } from '@homeward/contract/handler'
import { H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import { answerPage } from './pages.ts'
import type { Settings } from './settings.ts'

/** How long a request under way may take once the server closes. */
const graceMs = 1000

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
export async function startCloudServer(settings: Settings, store?: CloudStore): Promise<CloudServer> {
  const server = createServer()
  const port = await listen(server, settings.host, settings.cloudPort)
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  const guard = createAccessGuard({ hosts })
  const cloud = createCloud({
    store: store ?? createSqliteStore({ path: join(settings.home, 'cloud.db') }),
    blobs: createFolderBlobs({ folder: join(settings.home, 'files') }),
    sessions: createLocalSessions(),
    guard,
    onError: (error) => console.error('cloud:', error),
  })
  const pages = toNodeHandler(new H3().all('/**', (event) => answerPage(event.req, guard)))
  // The API does not pass through h3: its Node adapter would cost more than most answers do.
  server.on('request', (request, response) =>
    request.url?.startsWith('/api/') ? void cloud.node(request, response) : pages(request, response),
  )
  return {
    cloud,
    url: `http://${settings.host === '::1' ? '[::1]' : settings.host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await cloud.close()
      server.closeIdleConnections()
      await closed
      clearTimeout(cut)
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  // Above a device's poll interval, so that a fleet keeps its connections.
  server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Starting the server: port ${port} is in use. Set CLOUD_PORT to another one.`)
          : error,
      ),
    )
    server.listen(port, host, resolve)
  })
  return (server.address() as AddressInfo).port
}
