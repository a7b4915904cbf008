import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createDeviceCloud, createSingleUserSessions } from '@homeward/cloud-core'
import { createFsBlobs } from '@homeward/cloud-core/blobs/fs'
import { createSqliteStore } from '@homeward/cloud-core/sqlite'

// Run by disk-full.test.ts, in a process that may only write small files until it lifts its own limit.

const [home = ''] = process.argv.slice(2)
const folder = join(home, 'files')
const cloud = createDeviceCloud({
  store: createSqliteStore({ path: join(home, 'cloud.db') }),
  blobs: createFsBlobs({ folder }),
  sessions: createSingleUserSessions(),
})
const user = { userId: 'local' }
const registration = { name: 'laptop', type: 'laptop', platform: 'linux', metadata: {} }
const { device, apiKey } = await cloud.registerDevice(user, registration)
const uploadBody = { deviceIds: [device.id], filePath: '/home/ada/large.bin', destination: 'cloud' as const }
const requestId = (await cloud.createUploads(user, uploadBody)).uploadRequests[0]!.id

async function send(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const request = new Request(`http://127.0.0.1${path}`, { method: 'POST', ...init })
  const response = await cloud.fetch(request, { remoteAddress: '127.0.0.1' })
  return { status: response.status, text: await response.text() }
}

const search = (query: string) =>
  send('/api/devices/search/query', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, scope: ['files'], deviceIds: [device.id] }),
  })

function upload() {
  const form = new FormData()
  form.set('requestId', requestId)
  form.set('file', new Blob([new Uint8Array(8 * 1024 * 1024)]), 'large.bin')
  return send('/api/devices/files/upload', { headers: { authorization: `Bearer ${apiKey}` }, body: form })
}

async function countSearches(): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await cloud.listSearches(user, { limit: 500, ...(cursor && { cursor }) })
    count += page.results.length
    cursor = page.nextCursor
  } while (cursor)
  return count
}

async function filesLeft(): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}

let accepted = 0
let refused = await search('x'.repeat(1000))
while (refused.status < 300 && accepted < 20_000) {
  accepted += 1
  refused = await search('x'.repeat(1000))
}
const refusedUpload = await upload()
const whileFull = {
  accepted,
  refused,
  refusedUpload,
  stored: await countSearches(),
  uploadStatus: (await cloud.listUploads(user)).results[0]?.status,
  filesLeft: await filesLeft(),
}

execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:'])
const afterwards = {
  searchStatus: (await search('again')).status,
  stored: await countSearches(),
  upload: await upload(),
  uploadStatus: (await cloud.listUploads(user)).results[0]?.status,
}
await cloud.close()
process.stdout.write(JSON.stringify({ whileFull, afterwards }))
