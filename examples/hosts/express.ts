import type { AddressInfo } from 'node:net'
import { createDeviceCloud, createSingleUserSessions, deviceCloudPaths } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import express from 'express'

// The device cloud inside Express: `node --conditions=@homeward/source examples/hosts/express.ts`.

const cloud = createDeviceCloud({
  store: createMemoryStore(),
  blobs: createMemoryBlobs(),
  // Everybody on this machine is one user: put your own users here.
  sessions: createSingleUserSessions(),
  // Whoever is answered 500 does not hear why: this is where it is told.
  onError: (error) => console.error('cloud:', error),
})

const app = express()
// Before any body parser: the cloud reads bodies itself, within its limits.
const paths = deviceCloudPaths.flatMap((path) => [path, `${path}/*rest`])
app.all(paths, (request, response) => cloud.node(request, response))
app.get('/', (_, response) => void response.send('Your pages'))

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error // the port is in use
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

// The largest upload over a poor line: Node's own five minutes would cut it off each time that it is tried.
server.requestTimeout = 3_600_000

process.once('SIGTERM', () => {
  server.close()
  void cloud.close().then(() => server.closeAllConnections())
})
