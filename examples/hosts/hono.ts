import { createDeviceCloud, createSingleUserSessions, deviceCloudPaths } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import { Hono } from 'hono'
import { getConnInfo } from 'hono/bun'

// The device cloud inside Hono, on Bun: `bun --conditions=@homeward/source examples/hosts/hono.ts`.
// Elsewhere only `getConnInfo` comes from another module of Hono.

const cloud = createDeviceCloud({
  store: createMemoryStore(),
  blobs: createMemoryBlobs(),
  // Everybody on this machine is one user: put your own users here.
  sessions: createSingleUserSessions(),
  // Whoever is answered 500 does not hear why: this is where it is told.
  onError: (error) => console.error('cloud:', error),
})

const app = new Hono()
app.get('/', (context) => context.text('Your pages'))
// `*` also stands for nothing: the path itself.
const paths = deviceCloudPaths.map((path) => `${path}/*`)
app.on('ALL', paths, (context) => {
  const remoteAddress = getConnInfo(context).remote.address
  return cloud.fetch(context.req.raw, remoteAddress === undefined ? {} : { remoteAddress })
})

export default {
  hostname: '127.0.0.1',
  port: Number(process.env['PORT'] ?? 3000),
  // A poll is held for 60 s at most; by default Bun would hang up after 10.
  idleTimeout: 90,
  fetch: app.fetch,
}
