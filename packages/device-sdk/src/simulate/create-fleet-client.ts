import {
  deviceCloudOperations,
  type DeviceMetadata,
  type SearchRequest,
  type UploadRequest,
} from '@homeward/contract/device-cloud'
import type { ReplyOf } from '@homeward/contract'
import type { PlainReply } from '@homeward/contract/handler'
import type { DeviceClient, ListNotes, PendingList, PendingOptions } from '../client/create-device-client.ts'
import { DeviceCloudError } from '../device-cloud-error.ts'
import { DeviceRequest } from './device-request.ts'
import type { DeviceCall } from './fleet-log.ts'
import type { FleetCodec } from './fleet-codec.ts'
import type { FleetNetwork } from './fleet-network.ts'

type Operations = typeof deviceCloudOperations

/**
 * Builds the client of one simulated device. It sends what the client of a real device sends and takes what that takes;
 * between the two there is neither `fetch` nor a stream.
 */
export function createFleetClient(
  device: number,
  apiKey: string,
  network: FleetNetwork,
  codec: FleetCodec,
): DeviceClient {
  const never = new AbortController().signal
  const auth = { authorization: `Bearer ${apiKey}` }

  async function call<Id extends DeviceCall>(
    id: Id,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    signal: AbortSignal = never,
  ): Promise<{ readonly reply: PlainReply; readonly body: ReplyOf<Operations[Id]> }> {
    signal.throwIfAborted()
    const bytes = body === undefined ? undefined : codec.toBytes(body)
    const reply = await network.send(
      device,
      id,
      (connection) =>
        new DeviceRequest(deviceCloudOperations[id], {
          headers,
          signal: connection,
          ...(bytes === undefined ? {} : { body: bytes }),
        }),
      signal,
    )
    return { reply, body: codec.readReply(id, reply) }
  }

  async function list<Request>(
    id: 'listPendingSearches' | 'listPendingUploads',
    { waitSeconds }: PendingOptions = {},
    signal?: AbortSignal,
  ): Promise<PendingList<Request>> {
    const { reply, body: parsed } = await call(id, toHeaders(waitSeconds), undefined, signal)
    // The caller below names the request of its operation.
    const body = parsed as unknown as { readonly requests: readonly Request[] }
    return { requests: body.requests, ...toNotes(reply) }
  }

  const toHeaders = (waitSeconds: number | undefined) =>
    waitSeconds === undefined ? auth : { ...auth, prefer: `wait=${waitSeconds}` }

  let beat: { readonly metadata: DeviceMetadata } = { metadata: {} }
  let idle: { readonly metadata: DeviceMetadata; readonly working: readonly string[] } = {
    metadata: {},
    working: [],
  }

  return {
    async sendHeartbeat(metadata, signal) {
      if (beat.metadata !== metadata) beat = { metadata }
      return (await call('sendHeartbeat', auth, beat, signal)).body
    },
    listPendingSearches: (options, signal) => list<SearchRequest>('listPendingSearches', options, signal),
    listPendingUploads: (options, signal) => list<UploadRequest>('listPendingUploads', options, signal),
    async takeWork({ metadata, working = [], waitSeconds }, signal) {
      // Most devices have nothing in hand, and all have the same facts.
      if (idle.metadata !== metadata) idle = { metadata, working: [] }
      const asked = working.length === 0 ? idle : { metadata, working }
      const { reply, body } = await call('takeWork', toHeaders(waitSeconds), asked, signal)
      return {
        searches: { requests: body.searches },
        uploads: { requests: body.uploads },
        ...toNotes(reply),
      }
    },
    reportSearch: async (report, signal) => (await call('reportSearch', auth, report, signal)).body,
    // Simulated devices have no files; nobody asks them for one.
    uploadFile: () =>
      Promise.reject(
        new DeviceCloudError('FILE_UNAVAILABLE', 'Opening a file failed: simulated devices have no files.'),
      ),
    hasNewKey: async () => false,
  }
}

/** What a reply says besides its rows. */
function toNotes({ headers }: PlainReply): ListNotes {
  const applied = /^wait=(\d+)$/.exec(headers['preference-applied'] ?? '')?.[1]
  return { waitApplied: applied !== undefined, ...(applied && { appliedSeconds: Number(applied) }) }
}
