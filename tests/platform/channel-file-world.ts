import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer as readBytes } from 'node:stream/consumers'
import type { ChannelName } from './channel-world.ts'

/** Where the five platforms store the files that people send. */
export function createFileWorld() {
  const stored = new Map<string, Buffer>()
  const uploads: { readonly channel: ChannelName; readonly bytes: Buffer }[] = []
  const downloads: { readonly path: string; readonly authorization: string | undefined }[] = []

  return {
    downloads,
    /** Files that arrived at a platform, in their order. */
    uploads,
    /** Takes the files of a request to the bridge. @returns whether there are some */
    takeFromBridge({ files }: Record<string, unknown>): boolean {
      for (const { data } of (files ?? []) as readonly { readonly data: string }[])
        uploads.push({ channel: 'channel_d', bytes: Buffer.from(data, 'base64') })
      return files !== undefined
    },
    /** Answers a download or an upload. @returns whether it was one */
    async answer(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
      const { headers } = request
      const upload = uploadOf(pathname, headers['content-type'])
      if (upload) {
        const body = await readBytes(request)
        uploads.push({ channel: upload.channel, bytes: await bytesOf(body, headers['content-type'] ?? '') })
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(upload.reply))
        return true
      }
      if (!/^\/(?:stored|file)\//.test(pathname)) return false
      downloads.push({ path: pathname, authorization: headers.authorization })
      const bytes = stored.get(pathname.split('/').at(-1) ?? '')
      const isOfTelegram = pathname.startsWith('/file/bot')
      const type = isOfTelegram ? 'application/octet-stream' : 'image/png'
      response.writeHead(bytes ? 200 : 404, { 'content-type': type }).end(bytes)
      return true
    },
    /** Stores a picture at a platform, and puts it into an example of a message. */
    withPicture(base: string, channel: ChannelName, bytes: Buffer): (body: string) => string {
      const id = `${channel}${bytes.at(-1)}`
      stored.set(id, bytes)
      const url = `${base}/stored/${id}`
      const size = bytes.length
      const sizes = [{ file_id: id, file_unique_id: 'U', file_size: size, width: 9, height: 9 }]
      const shared = [{ id: 'F', name: 'a.png', mimetype: 'image/png', size, url_private: url }]
      const attachment = { id: '7', filename: 'a.png', content_type: 'image/png', size, url }
      const sent = [{ name: 'a.png', media_type: 'image/png', data: bytes.toString('base64') }]
      const edits: Record<ChannelName, [RegExp, string]> = {
        channel_a: [/"text":/, `"photo": ${JSON.stringify(sizes)}, "caption":`],
        channel_b: [/"text":/, `"subtype": "file_share", "files": ${JSON.stringify(shared)}, "text":`],
        channel_c: [
          /"options": \[/,
          `"resolved": {"attachments": {"7": ${JSON.stringify(attachment)}}}, "options": [{"name": "file", "type": 11, "value": "7"},`,
        ],
        channel_d: [/"text":/, `"files": ${JSON.stringify(sent)}, "text":`],
        channel_e: [/"type":"text",/, `"type":"picture","media":${JSON.stringify(url)},"size":${size},`],
      }
      const [place, put] = edits[channel]
      return (body) => body.replace(place, () => put)
    },
  }
}

/** Which platform takes a request for an upload, and what it answers. */
function uploadOf(pathname: string, type = ''): { channel: ChannelName; reply: object } | undefined {
  if (pathname === '/uploaded') return { channel: 'channel_b', reply: {} }
  if (!type.startsWith('multipart/')) return undefined
  if (pathname.includes('/bot'))
    return { channel: 'channel_a', reply: { ok: true, result: { message_id: 2 } } }
  return { channel: 'channel_c', reply: { id: '2', channel_id: '1' } }
}

/** The file in a form, or the whole body. */
async function bytesOf(body: Buffer, type: string): Promise<Buffer> {
  if (!type.startsWith('multipart/')) return body
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const file = [...form.values()].find((value) => value instanceof File)
  return Buffer.from((await file?.arrayBuffer()) ?? new ArrayBuffer(0))
}
