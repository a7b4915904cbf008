/** How much of a file is there. */
interface ReceivedBytes {
  readonly receivedBytes: number
  /** Bytes of the whole file, where the device has said so before. */
  readonly totalBytes?: number
}

/** How far the uploads are that this process takes. Another process does not know them: it is a sight, not a state. */
export interface UploadProgress {
  /** Says how much of a request's file is there. */
  begin(requestId: string, received: ReceivedBytes): void
  /** Adds bytes that came, or takes off those that came in vain. Without {@link UploadProgress.begin} it does nothing. */
  add(requestId: string, bytes: number): void
  /** How far a request is; undefined when its file does not come to this process, or nothing has come for a while. */
  of(requestId: string): ReceivedBytes | undefined
  end(requestId: string): void
}

/** As long as a device holds its request without a sign of life. */
const shownMs = 30_000
/** Past them the oldest is not shown any more. */
const maxShown = 10_000

/** Builds the progress of one process. */
export function createUploadProgress(now: () => number): UploadProgress {
  const shown = new Map<string, ReceivedBytes & { readonly atMs: number }>()

  function keep(requestId: string, received: ReceivedBytes): void {
    shown.delete(requestId)
    shown.set(requestId, { ...received, atMs: now() })
    const [oldest] = shown.keys()
    if (shown.size > maxShown && oldest !== undefined) shown.delete(oldest)
  }

  return {
    begin: keep,
    add(requestId, bytes) {
      const before = shown.get(requestId)
      if (!before) return
      // a chunk that is sent again while it is there counts once
      const most = before.totalBytes ?? Number.POSITIVE_INFINITY
      keep(requestId, { ...before, receivedBytes: Math.min(most, before.receivedBytes + bytes) })
    },
    of(requestId) {
      const found = shown.get(requestId)
      if (!found || Math.abs(now() - found.atMs) > shownMs) return undefined
      const { atMs: _, ...received } = found
      return received
    },
    end: (requestId) => void shown.delete(requestId),
  }
}

/** Passes bytes on and counts them. */
export async function* countBytes(
  content: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of content) {
    onBytes(bytes.length)
    yield bytes
  }
}
