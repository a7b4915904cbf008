import { boundText, type BoundedText } from '../exec/bounded-output.ts'

/** An answer's body as it came. */
interface EncodedText {
  readonly contentType: string
  readonly body: Uint8Array
  /** Whether it goes on behind what is here. */
  readonly truncated: boolean
}

/**
 * Decodes a body by the charset that its type names; by UTF-8 where it names none, or one that nobody knows.
 *
 * @param maxBytes Largest text in UTF-8, which may have more bytes than the body: other charsets take fewer for some
 * scripts, and what is no text becomes marks.
 * @returns undefined when it is no text, for it holds a NUL.
 */
export function decodeText(
  { contentType, body, truncated }: EncodedText,
  maxBytes: number,
): BoundedText | undefined {
  const decoder = decoderFor(contentType)
  if (!decoder.encoding.startsWith('utf-16') && body.includes(0)) return undefined
  if (decoder.encoding === 'utf-8') return boundText(body, maxBytes, truncated)
  return boundText(Buffer.from(decoder.decode(body, { stream: truncated })), maxBytes, truncated)
}

function decoderFor(contentType: string): TextDecoder {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
