import { validationError } from '@homeward/contract/handler'

/**
 * The SHA-256 that a `Content-Digest` header names (RFC 9530), in base64. Other algorithms beside it are ignored.
 *
 * @throws {HttpError} 400 when it names none.
 */
export function parseContentDigest(header: string | undefined): string {
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:$|[,;])/.exec(header ?? '')?.[1]
  if (found !== undefined) return found
  const problem = header === undefined ? 'is missing' : 'has no SHA-256'
  throw validationError(`Content-Digest: ${problem}. Send sha-256=:<base64>: of the chunk.`)
}
