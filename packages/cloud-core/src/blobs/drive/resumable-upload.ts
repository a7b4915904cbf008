import { RemoteFailure } from '../../remote/remote-failure.ts'
import type { FilePart } from '../remote/gather-parts.ts'
import type { DriveClient } from './drive-client.ts'
import { fileFields, readDriveFile, type DriveFile } from './drive-files.ts'

/** Begins a session of a resumable upload; gives the address that takes the bytes. @throws {RemoteFailure} */
export async function openSession(client: DriveClient, metadata: object): Promise<string> {
  const query = new URLSearchParams({
    uploadType: 'resumable',
    supportsAllDrives: 'true',
    fields: fileFields,
  })
  const address = `${client.apiUrl}/upload/drive/v3/files?${query}`
  const response = await client.sendAgain(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      'x-upload-content-type': 'application/octet-stream',
    },
    body: JSON.stringify(metadata),
  })
  await response.body?.cancel()
  const session = URL.parse(response.headers.get('location') ?? '', address)
  // The address takes the file and the token: it must not be anybody else's.
  if (session === null || session.origin !== new URL(address).origin)
    throw new RemoteFailure('Drive returned no upload address on its own host', { transient: false })
  return session.href
}

/** Gives a session up; Drive forgets what it got. */
export async function cancelSession(client: DriveClient, session: string): Promise<void> {
  const response = await client.send(session, { method: 'DELETE' }, [499, 404, 410])
  await response.body?.cancel()
}

/** Drive keeps pieces of a file in multiples of so many bytes. */
export const chunkStep = 256 * 1024

/** How much of a file Drive has: so many bytes, or all of it. */
type Progress = { readonly received: number } | { readonly file: DriveFile }

/**
 * Sends one part, as often as it takes: Drive may keep a piece of it only, and after a broken connection it is asked how
 * much it has.
 *
 * @param offset Bytes of the file before the part.
 * @returns the file, once Drive has all of it
 * @throws {RemoteFailure}
 */
export async function sendPart(
  client: DriveClient,
  session: string,
  { bytes, isLast }: FilePart,
  offset: number,
): Promise<DriveFile | undefined> {
  const end = offset + bytes.length
  const total = isLast ? String(end) : '*'
  let sent = 0
  let isUncertain = false

  const attempt = async (): Promise<DriveFile | undefined> => {
    if (isUncertain) {
      const progress = await askProgress(client, session, total)
      isUncertain = false
      if ('file' in progress) return progress.file
      sent = toSent(progress.received, offset, bytes.length)
      if (sent === bytes.length && !isLast) return undefined
    }
    isUncertain = true
    const progress = await put(client, session, bytes.subarray(sent), rangeOf(offset + sent, end, total))
    isUncertain = false
    if ('file' in progress) return progress.file
    const before = sent
    sent = toSent(progress.received, offset, bytes.length)
    if (sent === bytes.length && !isLast) return undefined
    // Less than the least that Drive keeps: a failure like any other, with its pause, and not again without end.
    if (sent - before < chunkStep)
      throw new RemoteFailure('Drive accepted almost none of the bytes that it received')
    return attempt()
  }
  return client.again(attempt)
}

function rangeOf(from: number, end: number, total: string): string {
  return from === end ? `bytes */${total}` : `bytes ${from}-${end - 1}/${total}`
}

function toSent(received: number, offset: number, partBytes: number): number {
  const sent = received - offset
  if (sent >= 0 && sent <= partBytes) return sent
  throw new RemoteFailure('Drive lost a part that it had accepted', { transient: false })
}

function askProgress(client: DriveClient, session: string, total: string): Promise<Progress> {
  return put(client, session, new Uint8Array(), `bytes */${total}`)
}

async function put(
  client: DriveClient,
  session: string,
  bytes: Uint8Array<ArrayBuffer>,
  range: string,
): Promise<Progress> {
  const headers = { 'content-range': range, 'content-type': 'application/octet-stream' }
  const response = await client.send(session, { method: 'PUT', headers, body: bytes }, [308, 404, 410])
  if (response.ok) return { file: await readDriveFile(response) }
  await response.body?.cancel()
  // Neither a moment's failure nor a refusal of the file: whoever sends it has to begin anew.
  if (response.status !== 308)
    throw new RemoteFailure('Drive no longer has the upload. Upload the file again', { transient: false })
  // `bytes=0-1234`: what is there so far; no header while there is nothing.
  const last = /^bytes=0-(\d+)$/.exec(response.headers.get('range') ?? '')?.[1]
  return { received: last === undefined ? 0 : Number(last) + 1 }
}
