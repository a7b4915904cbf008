import type { AuditedCall } from '../audit/audit-log.ts'
import type { CloudContext } from '../cloud-context.ts'
import type { StoredFile } from '../ports/upload-store.ts'

const sameDownloadMs = 60 * 60 * 1000
const maxRemembered = 10_000

/** A download that was recorded, or is about to be. */
interface Begun {
  readonly atMs: number
  readonly recorded: Promise<void>
}

/**
 * Records downloads (C24). A player, or a program that goes on with a file, asks for many parts of it: those that the same
 * user, or the same actor of a user, gets from the same address within an hour of an entry belong to it. This process remembers it.
 */
export function createDownloadLog({ audit, now }: Pick<CloudContext, 'audit' | 'now'>) {
  const downloads = new Map<string, Begun>()

  function remember(key: string, download: Begun): void {
    downloads.delete(key) // to the end: the first is the oldest
    if (downloads.size >= maxRemembered) downloads.delete(downloads.keys().next().value!)
    downloads.set(key, download)
    download.recorded.catch(() => {
      if (downloads.get(key) === download) downloads.delete(key)
    })
  }

  /** Resolves once it is certain that there is an entry. Rejects when it could not be written. */
  return (
    call: AuditedCall,
    { blobId, fileName }: Pick<StoredFile, 'blobId' | 'fileName'>,
    isPart: boolean,
  ): Promise<void> => {
    const key = JSON.stringify([call.userId, call.actor ?? null, call.address ?? null, blobId])
    const last = downloads.get(key)
    const atMs = now()
    if (isPart && last && atMs >= last.atMs && atMs - last.atMs < sameDownloadMs) return last.recorded
    const entry = audit.entryOf(call, 'file:downloaded', { subjectId: blobId, name: fileName })
    const recorded = audit.record([entry])
    remember(key, { atMs, recorded })
    return recorded
  }
}
