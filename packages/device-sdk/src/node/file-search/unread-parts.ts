import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { UnreadPart } from '../../ports/search-provider.ts'

/** Where something could not be read. */
interface UnreadPlace {
  readonly path: string
  /** The root that it lies in. */
  readonly root: string
}

/** What one search could not read, so that nobody takes it for empty. */
export interface UnreadParts {
  /** Counts one, or `count`. Without a place it counts for the whole scope. */
  note(reason: UnreadPart['reason'], place?: UnreadPlace, count?: number): void
  /** Counts what an error says; what is gone by now is not unread. */
  noteError(error: unknown, place: UnreadPlace): void
  /** Whether a disk did not respond. */
  hasSilentDisk(): boolean
  list(): readonly UnreadPart[]
}

/** Places that are named for one reason; with more of them their roots are named. */
const maxPlaces = 20

/** Builds the list of one search. */
export function createUnreadParts(): UnreadParts {
  const places = new Map<string, Map<string, { root: string; count: number }>>()
  const wide = new Set<string>()

  const add = (reason: string, { path, root }: UnreadPlace, count: number): void => {
    const known = places.get(reason) ?? new Map<string, { root: string; count: number }>()
    places.set(reason, known)
    const name = wide.has(reason) ? root : path
    known.set(name, { root, count: (known.get(name)?.count ?? 0) + count })
    if (known.size <= maxPlaces || wide.has(reason)) return
    wide.add(reason)
    places.delete(reason)
    for (const [each, found] of known) add(reason, { path: each, root: found.root }, found.count)
  }
  const note: UnreadParts['note'] = (reason, place = { path: '', root: '' }, count = 1) =>
    add(reason, place, count)
  return {
    note,
    noteError(error, place) {
      const reason = unreadReasonOf(error)
      if (reason !== undefined) note(reason, place)
    },
    hasSilentDisk: () => places.has('silent_disk'),
    list: () =>
      [...places].flatMap(([reason, known]) =>
        [...known].map(([path, { count }]) => ({
          reason,
          ...(path !== '' && { path: path.toWellFormed() }),
          count,
        })),
      ),
  }
}

/** Why an error of the file system leaves something unread; undefined if nothing is there any more. */
export function unreadReasonOf(error: unknown): UnreadPart['reason'] | undefined {
  if (DeviceCloudError.is(error)) {
    if (error.code === 'POLICY_DENIED') return undefined
    // Without a cause it is the error of a disk that does not respond.
    return error.cause === undefined ? 'silent_disk' : unreadReasonOf(error.cause)
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  return code === 'EACCES' || code === 'EPERM' ? 'denied' : 'other'
}
