import { attachmentHeader } from '@homeward/kit'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

/** Stored files. Each is an attachment: no browser shows one as a page of this server. */
export function createFileHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getFile'> {
  return {
    async getFile({ params, request }) {
      const { name, media_type, content } = await services.files.get(params.id, request.signal)
      return {
        status: 200,
        headers: {
          'content-type': media_type,
          'content-length': String(content.length),
          'content-disposition': attachmentHeader(name),
          'cache-control': 'private, max-age=31536000, immutable',
          'content-security-policy': 'sandbox',
        },
        body: toStream(content),
      }
    },
  }
}

/** The bytes piece by piece, as the caller takes them. */
function toStream(content: Uint8Array): ReadableStream<Uint8Array> {
  const pieceBytes = 64 * 1024
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      if (offset >= content.length) return controller.close()
      controller.enqueue(content.subarray(offset, offset + pieceBytes))
      offset += pieceBytes
    },
  })
}
