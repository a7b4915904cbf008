import { type Device, deviceCloudOperations } from '@homeward/contract/device-cloud'
import type { PlainReply } from '@homeward/contract/handler'
import type { UserCall } from '../context/cloud-context.ts'
import type { createAuditOperations } from '../audit/audit-operations.ts'
import type { createDeviceQueries } from '../devices/device-queries.ts'
import type { createEnrollmentTokens } from '../enrollments/enrollment-tokens.ts'
import { readCatalogRows } from '../catalogs/catalog-text.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { DeviceStore } from '../ports/device-store.ts'
import type { PresenceStore } from '../ports/presence-store.ts'
import type { createSavedSearchOperations } from '../saved-searches/saved-search-operations.ts'
import type { createGroupOperations } from '../searches/group-operations.ts'
import type { createSearchOperations } from '../searches/search-operations.ts'
import type { createTokenOperations } from '../tokens/token-operations.ts'
import type { createUploadOperations } from '../uploads/upload-operations.ts'
import type { createWebhookOperations } from '../webhooks/webhook-operations.ts'

/** Rows in one read. */
const pageSize = 100

/** One kind of row that an owner has: what the lines of it are called, and how a page of it is read. */
interface Section {
  readonly type: string
  /** The operation that lists these rows: a session without its grant does not get them here either. */
  readonly operation: keyof OwnerLists
  read(
    call: UserCall,
    cursor: string | undefined,
  ): Promise<{
    readonly rows: readonly object[] | AsyncIterable<object>
    readonly nextCursor?: string | undefined
  }>
}

/** The lists that an export reads. */
export type OwnerLists = Pick<ReturnType<typeof createDeviceQueries>, 'listDevices'> &
  Pick<ReturnType<typeof createSearchOperations>, 'listSearches'> &
  Pick<ReturnType<typeof createSavedSearchOperations>, 'listSavedSearches'> &
  Pick<ReturnType<typeof createUploadOperations>, 'listUploads'> &
  Pick<ReturnType<typeof createTokenOperations>, 'listTokens'> &
  Pick<ReturnType<typeof createGroupOperations>, 'listSearchGroups'> &
  Pick<ReturnType<typeof createEnrollmentTokens>, 'listEnrollmentTokens'> &
  Pick<ReturnType<typeof createWebhookOperations>, 'listWebhooks'> &
  Pick<ReturnType<typeof createAuditOperations>, 'listAudit'>

const pageOf = (cursor: string | undefined) => ({ limit: pageSize, ...(cursor !== undefined && { cursor }) })

/** Where the rows are that no list shows. */
interface ExportedStores {
  readonly store: PresenceStore & Pick<DeviceStore, 'findDevice'>
  readonly blobs: Pick<BlobStore, 'open'>
}

/** The files of the catalogs of devices, each with the id of its device. */
async function* readCatalogFiles(
  { store, blobs }: ExportedStores,
  owner: string,
  devices: readonly Pick<Device, 'id' | 'catalog'>[],
): AsyncGenerator<object, void> {
  for (const { id: deviceId } of devices.filter(({ catalog }) => catalog !== undefined)) {
    const blobId = (await store.findDevice(owner, deviceId))?.catalog?.blobId
    const blob = blobId === undefined ? undefined : await blobs.open(blobId)
    if (blob) for await (const file of readCatalogRows(blob.content)) yield { deviceId, ...file }
  }
}

/** Everything that an owner has, kind by kind. A new kind of row is one entry here. */
function sectionsOf(users: OwnerLists, stored: ExportedStores): readonly Section[] {
  const { store } = stored
  return [
    {
      type: 'device',
      operation: 'listDevices',
      async read(call, cursor) {
        const { devices, nextCursor } = await users.listDevices(call, pageOf(cursor))
        return { rows: devices, nextCursor }
      },
    },
    {
      type: 'devicePresence',
      operation: 'listDevices',
      async read(call, cursor) {
        const { devices, nextCursor } = await users.listDevices(call, pageOf(cursor))
        const found = await Promise.all(
          devices.map(async ({ id }) => [id, await store.findPresence(id)] as const),
        )
        const rows = found.flatMap(([deviceId, history]) => (history ? [{ deviceId, ...history }] : []))
        return { rows, nextCursor }
      },
    },
    {
      type: 'deviceCatalogFile',
      operation: 'listDevices',
      async read(call, cursor) {
        const { devices, nextCursor } = await users.listDevices(call, pageOf(cursor))
        return { rows: readCatalogFiles(stored, call.userId, devices), nextCursor }
      },
    },
    {
      type: 'search',
      operation: 'listSearches',
      async read(call, cursor) {
        const { results, nextCursor } = await users.listSearches(call, pageOf(cursor))
        return { rows: results, nextCursor }
      },
    },
    {
      type: 'searchGroup',
      operation: 'listSearchGroups',
      async read(call, cursor) {
        const { groups, nextCursor } = await users.listSearchGroups(call, pageOf(cursor))
        return { rows: groups, nextCursor }
      },
    },
    {
      type: 'webhook',
      operation: 'listWebhooks',
      read: async (call) => ({ rows: (await users.listWebhooks(call)).webhooks }),
    },
    {
      type: 'savedSearch',
      operation: 'listSavedSearches',
      async read(call, cursor) {
        const { savedSearches, nextCursor } = await users.listSavedSearches(call, pageOf(cursor))
        return { rows: savedSearches, nextCursor }
      },
    },
    {
      type: 'upload',
      operation: 'listUploads',
      async read(call, cursor) {
        const { results, nextCursor } = await users.listUploads(call, pageOf(cursor))
        return { rows: results, nextCursor }
      },
    },
    {
      type: 'token',
      operation: 'listTokens',
      read: async (call) => ({ rows: (await users.listTokens(call)).tokens }),
    },
    {
      type: 'enrollmentToken',
      operation: 'listEnrollmentTokens',
      read: async (call) => ({ rows: (await users.listEnrollmentTokens(call)).tokens }),
    },
    {
      type: 'audit',
      operation: 'listAudit',
      async read(call, cursor) {
        const { entries, nextCursor } = await users.listAudit(call, pageOf(cursor))
        return { rows: entries, nextCursor }
      },
    },
  ]
}

/** Whether a session may list the rows of a section. */
function mayRead({ may }: UserCall, { operation }: Section): boolean {
  const { needs } = deviceCloudOperations[operation]
  return may === undefined || may.includes(needs)
}

/**
 * A line for each row of each kind that the session may list, then one with the number of rows and the kinds that were left
 * out. An export without that last line is incomplete.
 */
async function* readLines(sections: readonly Section[], call: UserCall): AsyncGenerator<string, undefined> {
  let count = 0
  const leftOut = sections.filter((section) => !mayRead(call, section)).map(({ type }) => type)
  for (const { type, read } of sections.filter((section) => mayRead(call, section))) {
    let cursor: string | undefined
    do {
      const { rows, nextCursor } = await read(call, cursor)
      for await (const data of rows) {
        count += 1
        yield `${JSON.stringify({ type, data })}\n`
      }
      cursor = nextCursor
    } while (cursor !== undefined)
  }
  yield `${JSON.stringify({ type: 'end', data: { rows: count, ...(leftOut.length > 0 && { leftOut }) } })}\n`
}

/** Streams everything that an owner has as NDJSON; in memory there is one page of rows at most. */
export function exportOwner(users: OwnerLists, stored: ExportedStores, call: UserCall): PlainReply {
  const lines = readLines(sectionsOf(users, stored), call)
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const line = await lines.next()
      if (line.done === true) controller.close()
      else controller.enqueue(encoder.encode(line.value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
  return {
    status: 200,
    body,
    headers: {
      'content-type': 'application/x-ndjson',
      'content-disposition': 'attachment; filename="homeward-export.ndjson"',
      'cache-control': 'no-store',
    },
  }
}
