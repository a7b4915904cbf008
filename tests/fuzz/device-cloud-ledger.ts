import { expect } from 'vitest'
import { textOf, type JsonObject, type RawClient } from '../wire/raw-client.ts'
import type { DrawnRequest } from './draw-request.ts'
import type { KnownValues } from './known-names.ts'

/** What a cloud said that it took, and what therefore must be there. */
interface DeviceCloudLedger {
  /** Fields and parameters that name what is in the ledger. */
  readonly names: readonly string[]
  readonly known: KnownValues
  /** Notes a request that was answered with 2xx. */
  note(request: DrawnRequest, answer: JsonObject): void
  /** How much was created and settled. */
  readonly counts: Readonly<Record<'devices' | 'searches' | 'uploads' | 'settled', number>>
  /** Reads everything back. */
  expectKept(client: RawClient): Promise<void>
}

interface Kept {
  readonly deviceId: string
  /** Fields that must be there. */
  readonly row: JsonObject
}

type Rows = JsonObject[]
type Effect = (sent: JsonObject, answer: JsonObject, id: string) => void

/** Begins with the device that the requests are sent as. */
export function createDeviceCloudLedger(ownDeviceId: string): DeviceCloudLedger {
  const devices = new Map<string, JsonObject>([[ownDeviceId, {}]])
  const searches = new Map<string, Kept>()
  const uploads = new Map<string, Kept>()
  const counts = { devices: 0, searches: 0, uploads: 0, settled: 0 }
  const change = (rows: Map<string, Kept>, id: string, row: JsonObject) => {
    const kept = rows.get(id)
    if (!kept) return
    rows.set(id, { ...kept, row: { ...kept.row, ...row } })
    counts.settled += 1
  }
  const addAll = (kind: 'searches' | 'uploads', created: unknown, row: JsonObject) => {
    const rows = kind === 'searches' ? searches : uploads
    for (const { id, deviceId } of created as { id: string; deviceId: string }[]) {
      // A repeat of a creation gives what there was: it may have been settled meanwhile.
      if (rows.has(id)) continue
      rows.set(id, { deviceId, row })
      counts[kind] += 1
    }
  }

  const remove = (id: string) => {
    devices.delete(id)
    for (const rows of [searches, uploads])
      for (const [key, kept] of rows) if (kept.deviceId === id) rows.delete(key)
  }

  const effects: Readonly<Record<string, Effect>> = {
    'POST /api/devices': ({ name, type, platform, labels = [] }, { device }) => {
      const { id } = device as { id: string }
      counts.devices += 1
      devices.set(id, { name: trim(name), type: trim(type), platform: trim(platform), labels })
    },
    'PATCH /api/devices/{id}': ({ name, type, labels }, _, id) => {
      const change = {
        ...(name !== undefined && { name: trim(name) }),
        ...(type !== undefined && { type: trim(type) }),
        ...(labels !== undefined && { labels: [...new Set(labels as string[])] }),
      }
      devices.set(id, { ...devices.get(id), ...change })
    },
    'DELETE /api/devices/{id}': (_, __, id) => remove(id),
    'DELETE /api/devices': ({ deviceIds }) => {
      for (const id of deviceIds as string[]) remove(id)
    },
    // which devices a filter chose is not known
    'PATCH /api/devices': () => {
      for (const [id, { labels: _, ...row }] of devices) devices.set(id, row)
    },
    'POST /api/devices/search/query': ({ query, scope }, { searchQueries }) =>
      addAll('searches', searchQueries, {
        query: query ?? '',
        scope: [...new Set((scope as string[]).map(trim))], // one that is named twice counts once
      }),
    'POST /api/devices/files/upload-requests': ({ filePath }, { uploadRequests }) =>
      addAll('uploads', uploadRequests, { filePath: filePath ?? '' }),
    'POST /api/devices/search': (sent, { status }) =>
      change(searches, textOf(sent, 'queryId'), { status: status ?? null }),
    'DELETE /api/devices/files/upload-requests/{id}': (_, __, id) =>
      change(uploads, id, { status: 'canceled' }),
  }

  return {
    names: ['id', 'deviceId', 'deviceIds', 'queryId', 'requestId'],
    known(name, template) {
      // Work for the one device that reports, as often as for all others together.
      if (name === 'deviceIds') return [...devices.keys()].flatMap((id) => [ownDeviceId, id])
      if (name === 'queryId' && template === '/api/devices/search')
        return [...searches].filter(([, { deviceId }]) => deviceId === ownDeviceId).map(([id]) => id)
      const isUpload = name === 'requestId' || (name === 'id' && template.includes('/files/'))
      if (isUpload) return [...uploads.keys()]
      return name === 'queryId' ? [...searches.keys()] : [...devices.keys()]
    },
    note({ method, template, path, body }, answer) {
      const effect = effects[`${method} ${template}`]
      const id = decodeURIComponent(path.split('?', 1)[0]?.split('/').at(-1) ?? '')
      effect?.(
        typeof body === 'string' ? (JSON.parse(body.replace(/^\uFEFF/, '')) as JsonObject) : {},
        answer,
        id,
      )
    },
    counts,
    async expectKept(client) {
      const listed = await listDevices(client)
      expect([...listed.keys()].toSorted()).toEqual([...devices.keys()].toSorted())
      for (const [id, row] of devices) expect(listed.get(id)).toMatchObject(row)
      for (const [path, rows] of [
        ['/api/devices/search/query?queryId=', searches],
        ['/api/devices/files/upload-requests?requestId=', uploads],
      ] as const) {
        for (const [id, { deviceId, row }] of rows) {
          const results = (await client.get(path + id)).json['results'] as Rows
          expect(results).toMatchObject([{ id, device: { id: deviceId }, ...row }])
        }
      }
    },
  }
}

async function listDevices(client: RawClient): Promise<ReadonlyMap<string, JsonObject>> {
  const rows: Rows = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const { json } = await client.get(`/api/devices${query}`)
    rows.push(...(json['devices'] as Rows))
    cursor = json['nextCursor'] as string | undefined
  }
  return new Map(rows.map((row) => [textOf(row, 'id'), row]))
}

/** Names are kept without the white space around them (C1); queries as they are (C27). */
const trim = (value: JsonObject[string] | undefined): string =>
  typeof value === 'string' ? value.trim() : ''
