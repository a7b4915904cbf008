import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { createDeviceAgent, Secret } from '@homeward/device-sdk'
import { createFileSearch, createFileSource } from '@homeward/device-sdk/node'

const baseUrl = process.env['CLOUD_URL'] ?? 'http://127.0.0.1:3000'
const folder = resolve(process.argv[2] ?? '.')
const keyFile = 'data/device-key'

/** The key of this device. The first start registers it; a real device gets its key from a person, or by a code. */
async function readKey(): Promise<string> {
  const stored = await readFile(keyFile, 'utf8').catch(() => undefined)
  if (stored !== undefined) return stored
  const response = await fetch(`${baseUrl}/api/devices`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: hostname(), type: 'computer', platform: process.platform, metadata: {} }),
  })
  if (!response.ok) throw new Error(`Registering the device failed: ${await response.text()}`)
  const { apiKey } = (await response.json()) as { apiKey: string }
  await mkdir('data', { recursive: true })
  await writeFile(keyFile, apiKey, { mode: 0o600 })
  return apiKey
}

const agent = createDeviceAgent({
  baseUrl,
  apiKey: new Secret(await readKey()),
  providers: { files: createFileSearch({ roots: [folder] }) },
  files: createFileSource({ roots: [folder] }),
})
agent.on('search:end', ({ queryId }) => console.log(`answered search ${queryId}`))
agent.start()
console.log(`Files in ${folder} can be searched. Press Ctrl+C to stop.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void agent.stop())
