import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { createDeviceAgent, Secret } from '@homeward/device-sdk'
import { createFileSearch, createFileSource } from '@homeward/device-sdk/node'

const baseUrl = process.env['CLOUD_URL'] ?? 'http://127.0.0.1:3000'
const folder = resolve(process.argv[2] ?? 'shared')
const keyFile = 'data/device-key'

/** Creates the folder `shared` with a file, so that the first search finds something. */
async function createSharedFolder(): Promise<void> {
  if (process.argv[2] !== undefined) return
  await mkdir(folder, { recursive: true })
  const text = 'Welcome. Files in this folder can be searched and fetched.\n'
  await writeFile(join(folder, 'welcome.txt'), text, { flag: 'wx' }).catch(() => {}) // it is there already
}

/** The key of this device. The first start registers it; a real device gets its key from a person, or by a code. */
async function readKey(): Promise<string> {
  const stored = await readFile(keyFile, 'utf8').catch(() => undefined)
  if (stored !== undefined) return stored
  const response = await fetch(`${baseUrl}/api/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: hostname(), type: 'computer', platform: process.platform, metadata: {} }),
  }).catch(() => {
    console.error(
      `Registering the device failed: no server answers at ${baseUrl}. Run "npm start" in another terminal, or set CLOUD_URL.`,
    )
    process.exit(1)
  })
  if (!response.ok) throw new Error(`Registering the device failed: ${await response.text()}`)
  const { apiKey } = (await response.json()) as { apiKey: string }
  await mkdir('data', { recursive: true })
  await writeFile(keyFile, apiKey, { mode: 0o600 })
  return apiKey
}

await createSharedFolder()
const agent = createDeviceAgent({
  baseUrl,
  apiKey: new Secret(await readKey()),
  providers: { files: createFileSearch({ roots: [folder] }) },
  files: createFileSource({ roots: [folder] }),
})
let isOnline = false
agent.on('heartbeat:end', () => {
  if (!isOnline) console.log('online')
  isOnline = true
})
agent.on('heartbeat:error', ({ error }) => {
  isOnline = false
  console.error(error.message)
})
agent.on('search:end', ({ queryId }) => console.log(`answered search ${queryId}`))
agent.start()
console.log(`Files in ${folder} can be searched. Press Ctrl+C to stop.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void agent.stop())
