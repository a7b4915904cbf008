import type { Upload } from '@homeward/contract/device-cloud'

/** What was fetched of one file. */
export interface FileCopies {
  /** The last time that it was asked for. */
  readonly last: Upload | undefined
  /** The newest copy that is there. */
  readonly copy: Upload | undefined
  /** Whether that came of the last time, and the file was not changed since. */
  readonly isCurrent: boolean
}

/** Finds what was fetched of a file. @param uploads of its device, newest first. */
export function findDownloads(
  uploads: readonly Upload[],
  { filePath, modified }: { readonly filePath: string; readonly modified: string },
): FileCopies {
  const own = uploads.filter((upload) => upload.filePath === filePath)
  const last = own[0]
  const copy = own.find(({ status }) => status === 'completed')
  const isChanged = Date.parse(modified) > Date.parse(copy?.completedAt ?? '')
  return { last, copy, isCurrent: copy !== undefined && copy === last && !isChanged }
}
