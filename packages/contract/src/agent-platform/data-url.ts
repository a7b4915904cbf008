/** A file inside a `data:` URL. */
export interface DataUrl {
  /** Media type without parameters; `text/plain` if the URL has none. */
  readonly mediaType: string
  /** Base64 as in the URL, or the bytes of percent-encoded text. */
  readonly data: string | Uint8Array
}

/** `data:image/png;base64,…`: media type with parameters, whether it is base64, and the rest. */
const start = /^data:([^,]*?)(;base64)?,/i

/** Parses a `data:` URL. @returns undefined for any other address. */
export function readDataUrl(url: string): DataUrl | undefined {
  const [head, mediaType, isBase64] = start.exec(url) ?? []
  if (head === undefined) return undefined
  const rest = url.slice(head.length)
  // what cannot be decoded is told by the schema: it is no base64 either
  return { mediaType: mediaType || 'text/plain', data: isBase64 ? rest : (toUtf8(rest) ?? rest) }
}

function toUtf8(encoded: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(encoded))
  } catch {
    return undefined
  }
}
