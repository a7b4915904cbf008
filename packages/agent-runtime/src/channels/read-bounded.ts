import { ChannelError } from './channel-error.ts'

/** Body of a reply as text. @throws {ChannelError} `uncertain` when it is larger: it was answered, but how? */
export async function readBounded(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // breaking out of the loop gives the connection back
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) {
      throw new ChannelError('uncertain', `Reading an answer failed: it has more than ${maxBytes} bytes.`)
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
