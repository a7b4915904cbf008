import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createFolderBlobs } from '@homeward/cloud-core/blobs/fs'
import { createCloud, createLocalSessions, type Cloud } from '@homeward/cloud-core'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { createAccessGuard } from '@homeward/contract/handler'
import { toOpenApi } from '@homeward/contract/openapi'
import { fromNodeHandler, H3 } from 'h3'
import { toNodeHandler } from 'h3/node'
import type { Settings } from './settings.ts'

/** A running device cloud. */
export interface CloudServer {
  readonly cloud: Cloud
  /** `http://127.0.0.1:3000` */
  readonly url: string
  /** Ends held polls, answers what is under way, writes what waits, and closes the port. */
  close(): Promise<void>
}

/** Starts the device cloud over SQLite and a folder, on loopback, for one fixed local user. */
export async function startCloudServer(settings: Settings): Promise<CloudServer> {
  const server = createServer()
  const port = await listen(server, settings.host, settings.cloudPort)
  const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  const guard = createAccessGuard({ hosts })
  const cloud = createCloud({
    store: createSqliteStore({ path: join(settings.home, 'cloud.db') }),
    blobs: createFolderBlobs({ folder: join(settings.home, 'files') }),
    sessions: createLocalSessions(),
    guard,
    onError: (error) => console.error('cloud:', error),
  })
  const document = toOpenApi({
    operations: deviceCloudOperations,
    title: 'Homeward device cloud',
    version: '0.1.0',
  })

  const app = new H3()
    // h3's type allows HTTP/2 requests too; this server speaks HTTP/1.1 only.
    .all(
      '/api/**',
      fromNodeHandler((req, res) => cloud.node(req as IncomingMessage, res as ServerResponse)),
    )
    .get('/openapi.json', (event) => guarded(event.req, () => Response.json(document)))
    .get('/', (event) => guarded(event.req, () => new Response('Homeward device cloud. See /openapi.json\n')))

  function guarded(request: Request, answer: () => Response): Response {
    try {
      guard({ header: (name) => request.headers.get(name) ?? undefined })
    } catch {
      return Response.json({ error: 'Forbidden' }, { status: 403 })
    }
    const response = answer()
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  }

  server.on('request', toNodeHandler(app))
  return {
    cloud,
    url: `http://${settings.host === '::1' ? '[::1]' : settings.host}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      await cloud.close()
      server.closeIdleConnections()
      await closed
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
