import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@homeward/agent-runtime'
import { createCloud, createLocalSessions } from '@homeward/cloud-core'
import { createFolderBlobs } from '@homeward/cloud-core/blobs/fs'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'

// Run by runtimes.test.ts on each Node: what was written is there when the same folder is opened again.

const home = join(process.argv[2] ?? '', randomUUID())
await mkdir(home, { recursive: true })

const openCloud = () =>
  createCloud({
    store: createSqliteStore({ path: join(home, 'cloud.db') }),
    blobs: createFolderBlobs({ folder: join(home, 'files') }),
    sessions: createLocalSessions(),
  })
const user = { userId: 'local' }
const first = openCloud()
await first.registerDevice(user, { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} })
await first.close()
const second = openCloud()
const { devices } = await second.listDevices(user, {})
await second.close()

const before = createRuntime({ home })
await before.agents.create({ id: 'parrot', model: 'test/echo' })
const { output } = await before.run({ agent_id: 'parrot', task: 'Hello' })
await before.close()
const after = createRuntime({ home })
const parrot = await after.agents.find('parrot')
await after.close()

process.stdout.write(JSON.stringify({ output, agents: parrot ? 1 : 0, devices: devices.length }))
