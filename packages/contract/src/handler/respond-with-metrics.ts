import { HttpError } from './http-error.ts'
import type { PlainReply } from './plain-reply.ts'

/**
 * Responds to `GET /metrics` with the text from your app.
 *
 * @param read returns the metrics; undefined if your app has none.
 * @throws {HttpError} 501 if `read` is undefined.
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
