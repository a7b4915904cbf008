import { join } from 'node:path'
import { createRuntime } from '@homeward/agent-runtime'
import { agentPlatformPaths, createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createDeviceCloud, createSingleUserSessions, deviceCloudPaths } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'
import { H3, serve } from 'h3'

const { DATA_FOLDER = 'data', CLOUD_PORT = '3000', PORT = '3010' } = process.env

// The device cloud: devices, searches and upload requests in SQLite, uploaded files in a folder.
const cloud = createDeviceCloud({
  store: createSqliteStore({ path: join(DATA_FOLDER, 'cloud.db') }),
  blobs: createFsBlobs({ folder: join(DATA_FOLDER, 'files') }),
  sessions: createSingleUserSessions(), // everybody on this machine is one user: pass your own sessions
  onError: (error) => console.error('cloud:', error),
})

// The agent platform: agents, runs, memory and settings in SQLite and files in the same folder.
let origins: string[] = []
const runtime = createRuntime({
  home: DATA_FOLDER,
  platformOrigins: () => origins, // so that no skill can call the platform
  logger: console,
})
const platform = createAgentPlatformHandler({
  runtime,
  auth: { kind: 'settings' }, // callers need a token when the setting `api_token` has a value
  onError: (error) => console.error('agents:', error),
})
if (!(await runtime.agents.find('assistant'))) {
  // `test/tools` needs no key. Replace it with a model such as `openai/gpt-5.4-mini`.
  await runtime.agents.create({ id: 'assistant', model: 'test/tools' })
}
await runtime.start() // resumes interrupted runs, then starts tasks, schedules and channels

/** Serves the paths of a handler, and everything below them, on a port of this machine. */
async function listen({ fetch }: Pick<typeof cloud, 'fetch'>, paths: readonly string[], port: number) {
  const app = new H3()
  for (const path of paths) {
    // limits by address and local sessions need the address of the caller
    app.all(`${path}/**`, (event) => fetch(event.req, { remoteAddress: event.req.ip ?? 'unknown' }))
  }
  const server = serve(app, {
    hostname: '127.0.0.1',
    port,
    node: { requestTimeout: 3_600_000 }, // by default, Node cuts off uploads after five minutes
    gracefulShutdown: false, // `stop` closes the handlers first
    silent: true,
  })
  await server.ready()
  return { url: new URL(server.url ?? '').origin, close: () => server.close(true) }
}

// Two ports, because you may open the device cloud to devices and keep the agent platform on this machine.
const agentServer = await listen(platform, agentPlatformPaths, Number(PORT))
const cloudServer = await listen(cloud, deviceCloudPaths, Number(CLOUD_PORT))
origins = [agentServer.url]
console.log(`agents:  ${agentServer.url}\ndevices: ${cloudServer.url}`)

async function stop(): Promise<void> {
  await Promise.all([cloud.close(), runtime.close()]) // ends long polls, stores what is under way, closes databases
  await Promise.all([cloudServer.close(), agentServer.close()])
}
process.once('SIGTERM', () => void stop())
process.once('SIGINT', () => void stop())
