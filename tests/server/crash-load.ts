import { createHash } from 'node:crypto'
import {
  createRawClient,
  type JsonObject,
  type RawAnswer,
  type RawClient,
  textOf,
} from '../wire/raw-client.ts'

/** A search whose creation was answered with 2xx. */
interface KnownSearch {
  readonly id: string
  /** Marks of the reports that were sent. */
  readonly sent: string[]
  /** The mark whose report was answered first. */
  answered: string | undefined
}

/** An upload request whose creation was answered with 2xx. */
interface KnownUpload {
  readonly id: string
  readonly sha256: string
  /** Path of `fileUrl`, once the upload was answered. */
  path: string | undefined
}

/** What was answered with 2xx about one device: all of it must survive. */
export interface KnownDevice {
  readonly id: string
  /** Keys of which the last must work; a rotation that was never answered may have made it the previous one. */
  apiKey: string
  readonly searches: KnownSearch[]
  readonly uploads: KnownUpload[]
  deletion: 'none' | 'sent' | 'answered'
}

/** Hash of an uploaded file. */
export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

class Refused extends Error {}

function accepted({ status, json }: RawAnswer): JsonObject {
  if (status === 200 || status === 201) return json
  throw new Refused(`answered ${status}: ${JSON.stringify(json)}`)
}

/**
 * Works with devices of its own, one after the other, until the server goes away. Everything that was answered with 2xx is
 * noted in `known`.
 *
 * @param onAnswer told of each answer.
 * @throws when an answer is anything but 2xx or 429.
 */
export async function workUntilGone(
  url: string,
  known: KnownDevice[],
  random: () => number,
  onAnswer: () => void,
): Promise<void> {
  const counted = async (input: string, init?: RequestInit) => {
    const response = await fetch(input, init)
    onAnswer()
    return response
  }
  const client = createRawClient({ baseUrl: url, fetch: counted })
  try {
    for (;;) await liveOneLife(client, known, random)
  } catch (error) {
    if (error instanceof Refused) throw error
  }
}

async function liveOneLife(client: RawClient, known: KnownDevice[], random: () => number): Promise<void> {
  const registration = { name: 'worker', type: 'server', platform: 'linux', metadata: {} }
  const { device, apiKey } = accepted(await client.post('/api/devices', registration)) as {
    device: { id: string }
    apiKey: string
  }
  const life: KnownDevice = { id: device.id, apiKey, searches: [], uploads: [], deletion: 'none' }
  known.push(life)
  for (let step = 0; step < 12; step += 1) {
    const choice = random()
    if (choice < 0.4) await searchAndReport(client, life, random)
    else if (choice < 0.75) await upload(client, life, random)
    else if (choice < 0.9) await rotate(client, life)
    else await beat(client, life)
  }
  if (random() < 0.5) await remove(client, life)
}

const asDevice = ({ apiKey }: KnownDevice) => ({ Authorization: `Bearer ${apiKey}` })

async function searchAndReport(client: RawClient, life: KnownDevice, random: () => number): Promise<void> {
  const body = { query: 'crash', scope: ['files'], deviceIds: [life.id] }
  const created = accepted(await client.post('/api/devices/search/query', body))
  const [row] = created['searchQueries'] as { id: string }[]
  const search: KnownSearch = { id: row!.id, sent: [], answered: undefined }
  life.searches.push(search)
  const report = async () => {
    const mark = `mark ${random()}`
    search.sent.push(mark)
    const results = { mark }
    const answer = await client.post(
      '/api/devices/search',
      { queryId: search.id, query: '', scope: [], results, error: null },
      asDevice(life),
    )
    if (answer.status !== 429) accepted(answer)
    return answer.status === 429 ? undefined : mark
  }
  // One of the two wins; which one is known only where it was the only one that was sent.
  if (random() < 0.5) await Promise.all([report(), report()])
  else search.answered = await report()
}

async function upload(client: RawClient, life: KnownDevice, random: () => number): Promise<void> {
  const [id] = await client.askForFile([life.id])
  const content = Buffer.alloc(1 + Math.floor(random() * 400_000), `${random()}`)
  const known: KnownUpload = { id: id!, sha256: sha256(content), path: undefined }
  life.uploads.push(known)
  const answer = await client.upload(
    { id: life.id, apiKey: life.apiKey, headers: asDevice(life) },
    id!,
    content,
  )
  if (answer.status !== 429) known.path = new URL(textOf(accepted(answer), 'fileUrl')).pathname
}

async function rotate(client: RawClient, life: KnownDevice): Promise<void> {
  const rotated = accepted(await client.post(`/api/devices/${life.id}/rotate-key`, {}))
  life.apiKey = textOf(rotated, 'apiKey')
  await beat(client, life)
}

async function beat(client: RawClient, life: KnownDevice): Promise<void> {
  const answer = await client.post('/api/devices/heartbeat', { metadata: { os: 'Linux' } }, asDevice(life))
  if (answer.status !== 429) accepted(answer)
}

async function remove(client: RawClient, life: KnownDevice): Promise<void> {
  life.deletion = 'sent'
  accepted(await client.send(`/api/devices/${life.id}`, { method: 'DELETE' }))
  life.deletion = 'answered'
}
