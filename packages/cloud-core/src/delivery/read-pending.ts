import { HttpError } from '@homeward/contract/handler'
import type { StoredDevice } from '../ports/device-store.ts'
import type { LongPolls } from './long-polls.ts'

/** A device that asks for its work. */
export interface PendingPoll {
  readonly device: StoredDevice
  /** How long it may be held; not at all without it. */
  readonly waitSeconds: number | undefined
  readonly signal: () => AbortSignal
  /** Throws, or rejects with, an {@link HttpError} when the key that the poll came with counts no more. */
  readonly assertKey: () => unknown
}

/** A request with who asked: without an actor of the session it is the owner. */
export const withActor = <Request extends { readonly actor?: string | undefined }>(request: Request) => ({
  ...request,
  actor: request.actor ?? 'owner',
})

/**
 * Reads what waits for a device; held while there is nothing, if it may be (C22). A poll whose key ended meanwhile gets no
 * work (C15): it is answered with none, at once. Not with 401: its device may have the new key already, and asks again.
 */
export async function readPending<Row>(
  polls: LongPolls,
  { device, waitSeconds, signal, assertKey }: PendingPoll,
  read: () => Promise<readonly Row[]>,
): Promise<Row[]> {
  if (!waitSeconds) return [...(await read())]
  let hasEnded = false
  const readWithKey = async () => {
    try {
      await assertKey()
    } catch (error) {
      hasEnded = error instanceof HttpError
      throw error
    }
    return read()
  }
  try {
    return [...(await polls.hold(device.id, waitSeconds * 1000, signal(), readWithKey))]
  } catch (error) {
    if (hasEnded) return []
    throw error
  }
}
