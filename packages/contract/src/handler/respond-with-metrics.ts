import { HttpError } from './http-error.ts'
import type { PlainReply } from './plain-reply.ts'

/**
 * Answers `GET /metrics` with the text that the host gives.
 *
 * @param read Undefined where the host does not measure.
 * @throws {HttpError} 501 without it.
 */
export async function respondWithMetrics(
  read: (() => string | Promise<string>) | undefined,
): Promise<PlainReply> {
  if (!read) {
    const message = 'This server collects no metrics. Pass the option "metrics".'
    throw new HttpError(501, { error: 'Not implemented', message })
  }
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  }
  return { status: 200, headers, body: await read() }
}
