import type { BlobRange } from '../ports/blob-store.ts'

/**
 * The one part of a file that a `Range` header asks for (RFC 9110, section 14.2). Undefined where all of it is meant: there
 * is no header, it is malformed, of another unit, or asks for several parts, and where the file is empty, which has no part.
 */
export function parseByteRange(
  header: string | undefined,
  fileBytes: number,
): BlobRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (fileBytes === 0 || first + last === '') return undefined
  if (first === '') return toRange(fileBytes - Math.min(Number(last), fileBytes), fileBytes, fileBytes)
  if (last !== '' && Number(last) < Number(first)) return undefined
  return toRange(Number(first), last === '' ? fileBytes : Number(last) + 1, fileBytes)
}

function toRange(start: number, end: number, fileBytes: number): BlobRange | 'unsatisfiable' {
  return start < fileBytes ? { start, end: Math.min(end, fileBytes) } : 'unsatisfiable'
}
