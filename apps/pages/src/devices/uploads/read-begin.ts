/** The begin of a file. */
export interface FileBegin {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Whether the file is longer. */
  readonly isCut: boolean
}

/** Reads at most so many bytes of a stream, and cancels the rest. */
export async function readBegin(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<FileBegin> {
  const reader = stream.getReader()
  const bytes = new Uint8Array(maxBytes)
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: bytes.slice(0, length), isCut: false }
    const part = value.subarray(0, maxBytes - length)
    bytes.set(part, length)
    length += part.length
    if (part.length < value.length) {
      await reader.cancel()
      return { bytes, isCut: true }
    }
  }
}

/** The text of a file; undefined for one that is not UTF-8 text. A character that was cut at the end is left out. */
export function decodeText({ bytes, isCut }: FileBegin): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}
