import { isInside, resolveRoots } from '../roots/resolve-roots.ts'

/** How long a search waits for slow disks before it walks the others. */
const rootsPatienceMs = 2000

/** Walks the roots whose disks respond, then those that respond late. */
export async function walkRoots(
  roots: readonly string[],
  walk: (folders: readonly string[]) => Promise<void>,
  onSilent: () => void,
  signal: AbortSignal,
): Promise<void> {
  // When the signal ends the wait, what was found until then counts.
  const early = await resolveRoots(roots, signal, rootsPatienceMs).catch(() => undefined)
  if (!early) return
  await walk(early.folders)
  const all = early.isPartial ? await resolveRoots(roots, signal).catch(() => undefined) : early
  if (!all) return
  if (all.silent.length > 0) onSilent()
  if (all.folders.length === 0 && all.silent[0]) throw all.silent[0]
  const isWalked = (folder: string) => early.folders.some((walked) => isInside(walked, folder))
  await walk(all.folders.filter((folder) => !isWalked(folder)))
}
