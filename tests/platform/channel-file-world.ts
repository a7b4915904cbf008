import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChannelName } from './channel-world.ts'

/** Where the five platforms store the files that people send. */
export function createFileWorld() {
  const stored = new Map<string, Buffer>()
  const downloads: { readonly path: string; readonly authorization: string | undefined }[] = []

  return {
    downloads,
    /** Answers a download. @returns whether it was one */
    answer(pathname: string, { headers }: IncomingMessage, response: ServerResponse): boolean {
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
