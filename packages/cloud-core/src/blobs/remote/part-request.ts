import type { BlobRange } from '../../ports/blob-store.ts'

/** Headers that ask a service for a part of a file; none for all of it. */
export function rangeHeader(range: BlobRange | undefined): Record<string, string> {
  return range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` }
}

/** Whether an answer holds the part that was asked for: some services, and proxies before them, send the whole file. */
export function isPart({ status, headers }: Response, { start, end }: BlobRange): boolean {
  return status === 206 && headers.get('content-range')?.startsWith(`bytes ${start}-${end - 1}/`) === true
}
