import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createMemoryBlobs } from '@homeward/cloud-core/blobs/memory'
import { createMemoryStore } from '@homeward/cloud-core/memory'
import Fastify from 'fastify'

// Both halves inside Fastify, each below a path: `node --conditions=@homeward/source examples/hosts/fastify.ts`.

const cloud = createDeviceCloud({
  store: createMemoryStore(),
  blobs: createMemoryBlobs(),
  // Everybody on this machine is one user: put your own users here.
  sessions: createSingleUserSessions(),
  basePath: '/devices',
  // A reply 500 does not say why. The reason is here.
  onError: (error) => console.error('cloud:', error),
})

// Without a home, agents and runs are stored in memory.
const runtime = createRuntime({ logger: console })
await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
await runtime.start()
const platform = createAgentPlatformHandler({ runtime, auth: { kind: 'none' }, basePath: '/agents' })

// The largest upload over a poor line: Node's own five minutes would cut it off each time that it is tried.
const app = Fastify({ requestTimeout: 3_600_000, forceCloseConnections: true })
app.get('/', async () => 'Your pages')

for (const [path, { node }] of Object.entries({ '/devices': cloud, '/agents': platform })) {
  // A scope of its own: your other routes keep their body parsers.
  void app.register(async (scope) => {
    // The handlers read bodies themselves, within their limits.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all(`${path}/*`, (request, reply) => {
      reply.hijack()
      void node(request.raw, reply.raw)
    })
  })
}

console.log(await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' }))

process.once('SIGTERM', () => void Promise.all([cloud.close(), runtime.close()]).then(() => app.close()))
