import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime } from '@homeward/agent-runtime'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'

// Run by runtimes.test.ts on each Node: what was written is there when the same folder is opened again.

const home = join(process.argv[2] ?? '', randomUUID())
await mkdir(home, { recursive: true })

const openCloud = () =>
  createDeviceCloud({
    store: createSqliteStore({ path: join(home, 'cloud.db') }),
    blobs: createFsBlobs({ folder: join(home, 'files') }),
    sessions: createSingleUserSessions(),
  })
// Node 22 reads text out of SQLite up to its first character 0 only; half a surrogate pair has no UTF-8
const odd = 'a\u0000b\ud800c\u0010'
const user = { userId: 'local' }
const first = openCloud()
const laptop = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
const { device, apiKey } = await first.registerDevice(user, laptop)
const search = { query: 'q', scope: ['files'], deviceIds: [device.id] }
const { searchQueries } = await first.createSearches(user, search)
const report = { queryId: searchQueries[0]?.id, error: odd }
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
const init = { method: 'POST', headers, body: JSON.stringify(report) }
await first.fetch(new Request('http://127.0.0.1/api/devices/search', init))
await first.close()
const second = openCloud()
const { results } = await second.listSearches(user)
await second.close()

const before = createRuntime({ home })
await before.agents.create({ id: 'parrot', model: 'test/echo' })
const { output } = await before.run({ agent_id: 'parrot', task: 'Hello' })
const { conversation_id } = await before.run({ agent_id: 'parrot', task: odd }) // its title, too
await before.close()
const after = createRuntime({ home })
const parrot = await after.agents.find('parrot')
const { conversation } = await after.conversations.get(conversation_id)
await after.close()

const areKept = [results[0]?.error, conversation.title].map((text) => text === odd)
process.stdout.write(JSON.stringify({ output, agents: parrot ? 1 : 0, areKept }))
