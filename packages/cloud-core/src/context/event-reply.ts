import type { PlainReply } from '@homeward/contract/handler'

/** The reply that streams server-sent events. */
export function toEventReply(body: ReadableStream<Uint8Array>, more?: Readonly<Record<string, string>>) {
  const headers = {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no', // nginx would hold events back
    ...more,
  }
  return { status: 200, headers, body } satisfies PlainReply
}
