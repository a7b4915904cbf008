import { utimes } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import { createRawClient, type RawClient } from '../wire/raw-client.ts'
import { createAnswerCount } from './answer-count.ts'
import { sha256, workUntilGone, type KnownDevice } from './crash-load.ts'
import { createHome, startServer, uploadedFiles } from './server-process.ts'

const rounds = 3
const workers = 6

interface Row {
  readonly id: string
  readonly status: string
  readonly results: { readonly mark: string } | null
  readonly fileUrl?: string
}

async function rowsOf(client: RawClient, path: string): Promise<Map<string, Row>> {
  const { status, json } = await client.get(path)
  expect(status).toBe(200)
  return new Map((json['results'] as unknown as Row[]).map((row) => [row.id, row]))
}

async function checkSearches(client: RawClient, device: KnownDevice): Promise<void> {
  const rows = await rowsOf(client, `/api/devices/search/query?deviceId=${device.id}&limit=500`)
  for (const { id, sent, answered } of device.searches) {
    const row = rows.get(id)
    expect(row, 'a search whose creation was answered').toBeDefined()
    if (answered !== undefined)
      expect(row).toMatchObject({ status: 'completed', results: { mark: answered } })
    if (row?.status === 'pending') expect(row.results).toBeNull()
    else expect(sent).toContain(row?.results?.mark)
  }
}

/** Gives how many files of the device are stored. */
async function checkUploads(client: RawClient, device: KnownDevice): Promise<number> {
  const rows = await rowsOf(client, `/api/devices/files/upload-requests?deviceId=${device.id}&limit=500`)
  let stored = 0
  for (const upload of device.uploads) {
    const row = rows.get(upload.id)
    expect(row, 'an upload request whose creation was answered').toBeDefined()
    if (upload.path !== undefined) expect(row?.status).toBe('completed')
    if (row?.status !== 'completed') continue
    stored += 1
    const path = new URL(row.fileUrl!).pathname
    if (upload.path !== undefined) expect(path).toBe(upload.path)
    expect(sha256((await client.get(path)).text), 'the bytes of a stored file').toBe(upload.sha256)
  }
  return stored
}

/** Whether the key still counts; a report on a search that nobody made changes nothing. */
async function keyWorks(client: RawClient, apiKey: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${apiKey}` }
  const { status } = await client.post('/api/devices/search', { queryId: 'nothing', results: {} }, headers)
  return status === 404
}

/** Checks that everything answered with 2xx is there; gives how many files are stored. */
async function check(client: RawClient, known: readonly KnownDevice[]): Promise<number> {
  const { json } = await client.get('/api/devices?limit=1000')
  const listed = new Set((json['devices'] as { id: string }[]).map((row) => row.id))
  let stored = 0
  for (const device of known) {
    if (device.deletion === 'none') expect(listed, 'a device that was registered').toContain(device.id)
    if (device.deletion === 'answered') expect(listed, 'a device that was deleted').not.toContain(device.id)
    expect(await keyWorks(client, device.apiKey)).toBe(listed.has(device.id))
    if (!listed.has(device.id)) continue
    await checkSearches(client, device)
    stored += await checkUploads(client, device)
  }
  return stored
}

it('keeps what was answered with 2xx through kills at random moments', { timeout: 600_000 }, async () => {
  await using home = await createHome()
  const known: KnownDevice[] = []
  let stored = 0
  for (let round = 0; round < rounds; round += 1) {
    await using server = await startServer(home.path)
    const answers = createAnswerCount()
    const work = Array.from({ length: workers }, () =>
      workUntilGone(server.url, known, Math.random, answers.note),
    )
    // A moment that nothing in the server can foresee: the other workers are in the middle of something then.
    await Promise.race([answers.reached(40 + Math.floor(Math.random() * 160)), Promise.all(work)])
    const { signal } = await server.end('SIGKILL')
    expect(signal).toBe('SIGKILL')
    await Promise.all(work)

    await using again = await startServer(home.path)
    const client = createRawClient({ baseUrl: again.url, fetch: (input, init) => fetch(input, init) })
    stored = await check(client, known)
    expect((await again.end('SIGTERM')).code).toBe(0)
    expect(again.output()).not.toMatch(/^cloud:/m)
  }
  const events = known.flatMap((device) => [...device.searches, ...device.uploads])
  expect(events.length).toBeGreaterThan(rounds * workers)
  await checkLeftovers(home.path, stored)
})

/** What the kills left of uploads goes away a day later: here the files are made older instead. */
async function checkLeftovers(home: string, stored: number): Promise<void> {
  const files = await uploadedFiles(home)
  expect(files.length).toBeGreaterThanOrEqual(stored)
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400
  for (const file of files) await utimes(file, twoDaysAgo, twoDaysAgo)
  await using server = await startServer(home)
  const client = createRawClient({ baseUrl: server.url, fetch: (input, init) => fetch(input, init) })
  const device = await client.register()
  const [requestId] = await client.askForFile([device.id])
  expect((await client.upload(device, requestId!, 'new')).status).toBe(200)
  await vi.waitFor(async () => expect(await uploadedFiles(home)).toHaveLength(stored + 1), 60_000)
}
