import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createDeviceAgent, Secret } from '@homeward/device-sdk'
import {
  createFileAuditLog,
  createFileOutbox,
  createFileSearch,
  createFileSource,
} from '@homeward/device-sdk/node'

// Several device agents in one process, as chaos.test.ts tells it by a file and by messages.

interface Device {
  readonly apiKey: string
  readonly root: string
  readonly stateFolder: string
}

const [path = ''] = process.argv.slice(2)
const { cloudUrl, devices } = JSON.parse(readFileSync(path, 'utf8')) as {
  readonly cloudUrl: string
  readonly devices: readonly Device[]
}
/** Everything that an event holds, errors with their causes: what a careless program would log. */
const log = (name: string, event: unknown) =>
  process.stdout.write(`${name} ${inspect(event, { depth: 10 })}\n`)
// A file that cannot grow is an error of the write then, as a full disk is one, and not the end of the process.
process.on('SIGXFSZ', () => {})
let aheadMs = 0
const now = () => Date.now() + aheadMs
process.on('message', (message) => {
  aheadMs = Number(message)
})

for (const { apiKey, root, stateFolder } of devices) {
  const agent = createDeviceAgent({
    baseUrl: cloudUrl,
    apiKey: new Secret(apiKey),
    providers: { files: createFileSearch({ roots: [root] }) },
    files: createFileSource({ roots: [root] }),
    outbox: createFileOutbox({ folder: join(stateFolder, 'outbox'), now }),
    auditLog: createFileAuditLog({ folder: stateFolder, now }),
    metadata: { os: 'linux', version: '1', hardware: 'x64' },
    intervalMs: 1000,
    waitSeconds: 2,
    now,
  })
  const names = ['heartbeat:error', 'poll:error', 'report:error', 'upload:error', 'state:error'] as const
  for (const name of names) agent.on(name, (event) => log(name, event))
  agent.on('report:end', (event) => log('report:end', event))
  agent.on('upload:end', (event) => log('upload:end', event))
  agent.start()
}
process.send?.('started')
