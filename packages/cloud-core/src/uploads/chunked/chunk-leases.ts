import { toBase64Url } from '@homeward/kit'
import type { UploadContext } from '../upload-context.ts'
import { hashText } from '../../keys/api-key.ts'
import type { StoredDevice } from '../../ports/device-store.ts'
import {
  AlreadyOver,
  createAttempt,
  leaseUpload,
  releaseUpload,
  type UploadAttempt,
} from '../upload-attempt.ts'

/** Short: between two chunks nothing is open that would show the end of a device that was killed. */
const leaseMs = 30_000
/** Requests that one device may have under way. */
const maxOpenUploads = 16

/** Leases of requests whose files come in chunks (C4, C25): what is under way of one request shares its lease. */
export interface ChunkLeases {
  /** Takes or renews the lease; tells whether the request is over instead. */
  take(device: StoredDevice, id: string): Promise<'open' | 'over'>
  /** Notes that a chunk of a request is under way here, or the whole that is put together of them. */
  begin(device: StoredDevice, id: string, kind: 'chunk' | 'whole'): LeasedWork
}

/** Something of a request that is under way in this process. */
interface LeasedWork {
  /** Notes its end. Safe to call twice. */
  end(): void
  /**
   * Notes that it broke off: where nothing else of the request is under way here, the lease is given back.
   *
   * @param attempt Whose lease it is. @default that of the chunks
   */
  breakOff(attempt?: UploadAttempt): Promise<void>
}

/** Builds the leases of chunks. */
export function createChunkLeases(context: UploadContext): ChunkLeases {
  const underWay = new Map<string, Set<{ readonly kind: 'chunk' | 'whole' }>>()
  const ownName = toBase64Url(context.randomBytes(16))
  /**
   * Stands for the blob that an attempt writes: there is none before the chunks are put together. Each process has a name of
   * its own, so that none gives back what another one has taken since.
   */
  const attemptName = (id: string) => `chunks_${hashText(`${ownName} ${id}`)}`

  async function take(device: StoredDevice, id: string): Promise<'open' | 'over'> {
    const others = underWay.get(nameOf(device, id)) ?? []
    // The whole has a longer lease, for what has no calls that would renew it.
    const yields = [...others].some(({ kind }) => kind === 'whole')
    const attempt = createAttempt(device, '', attemptName(id))
    try {
      await leaseUpload(context, attempt, id, { forMs: leaseMs, maxLeases: maxOpenUploads, yields })
      return 'open'
    } catch (error) {
      if (!(error instanceof AlreadyOver)) throw error
      await context.chunkSessions?.drop(device.id, id).catch(context.onError)
      return 'over'
    }
  }

  async function giveBack(device: StoredDevice, id: string): Promise<void> {
    const attempt = createAttempt(device, '', attemptName(id))
    attempt.leased = id
    await releaseUpload(context, attempt)
  }

  return {
    take,
    begin(device, id, kind) {
      const name = nameOf(device, id)
      const own = { kind }
      const all = underWay.get(name) ?? new Set()
      underWay.set(name, all.add(own))
      const end = () => {
        all.delete(own)
        if (all.size === 0 && underWay.get(name) === all) underWay.delete(name)
      }
      return {
        end,
        async breakOff(attempt) {
          end()
          const isLast = !underWay.has(name)
          if (isLast)
            await (attempt ? releaseUpload(context, attempt) : giveBack(device, id)).catch(context.onError)
          // The whole took the lease from the chunks that are still under way.
          else if (attempt) await take(device, id).catch(context.onError)
        },
      }
    },
  }
}

const nameOf = (device: StoredDevice, id: string) => JSON.stringify([device.id, id])
