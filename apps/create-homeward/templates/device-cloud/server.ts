import { readFile } from 'node:fs/promises'
import { createDeviceCloud, createSingleUserSessions, deviceCloudPaths } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'

const cloud = createDeviceCloud({
  store: createSqliteStore({ path: 'data/cloud.db' }),
  blobs: createFsBlobs({ folder: 'data/files' }),
  // Everybody on this machine is one user: put your own users here before others can reach the server.
  sessions: createSingleUserSessions(),
  onError: (error) => console.error('cloud:', error),
})

const app = new Hono()
app.get('/', async (context) => context.html(await readFile(new URL('page.html', import.meta.url), 'utf8')))
app.on(
  'ALL',
  deviceCloudPaths.map((path) => `${path}/*`),
  (context) => {
    const remoteAddress = getConnInfo(context).remote.address
    return cloud.fetch(context.req.raw, remoteAddress === undefined ? {} : { remoteAddress })
  },
)

const server = serve(
  { fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
)
server.on('error', (error: NodeJS.ErrnoException) => {
  const inUse = 'Starting the server failed: the port is in use. Choose another one: PORT=3001 npm start'
  console.error(error.code === 'EADDRINUSE' ? inUse : error)
  process.exit(1)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close()
    void cloud.close().then(() => process.exit()) // ends held polls, and closes the database
  })
}
