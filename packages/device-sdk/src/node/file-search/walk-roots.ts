import { DeviceCloudError } from '../../device-cloud-error.ts'
import { isInside, type MissingRoot, resolveRoots } from '../roots/resolve-roots.ts'
import type { UnreadParts } from './unread-parts.ts'

/** How long a search waits for slow disks before it walks the others. */
const rootsPatienceMs = 2000

/**
 * Walks the roots whose disks respond, then those that respond late.
 *
 * @throws {DeviceCloudError} `FILE_UNAVAILABLE` if none of the roots is there: finding nothing would be no answer.
 */
export async function walkRoots(
  roots: readonly string[],
  walk: (folders: readonly string[]) => Promise<void>,
  unread: UnreadParts,
  signal: AbortSignal,
): Promise<void> {
  // When the signal ends the wait, what was found until then counts.
  const early = await resolveRoots(roots, signal, rootsPatienceMs).catch(() => undefined)
  if (!early) return
  await walk(early.folders)
  const all = early.isPartial ? await resolveRoots(roots, signal).catch(() => undefined) : early
  if (!all) return
  for (const { root } of all.silent) unread.note('silent_disk', { path: root, root })
  for (const { root, reason } of all.missing) unread.note(reason, { path: root, root })
  if (all.folders.length === 0) {
    if (all.silent[0]) throw all.silent[0].error
    if (all.missing.length > 0) throw noRoot(all.missing)
  }
  const isWalked = (folder: string) => early.folders.some((walked) => isInside(walked, folder))
  await walk(all.folders.filter((folder) => !isWalked(folder)))
}

const faults: Readonly<Record<MissingRoot['reason'], string>> = {
  missing_root: 'is not there',
  denied: 'may not be read',
  other: 'cannot be read',
}

function noRoot(missing: readonly MissingRoot[]): DeviceCloudError {
  const named = missing.slice(0, 3).map(({ root, reason }) => `${JSON.stringify(root)} ${faults[reason]}`)
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
  return new DeviceCloudError(
    'FILE_UNAVAILABLE',
    `Searching the shared folders failed: ${named.join(', ')}${more}. Connect the drive, or correct the roots.`,
  )
}
