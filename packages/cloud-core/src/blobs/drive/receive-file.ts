import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { BlobLinks, NewBlob, StoredBlob } from '../../ports/blob-store.ts'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import { blobIdTaken } from '../blob-id.ts'
import { gatherParts } from '../remote/gather-parts.ts'
import type { createDriveClients, DriveClient } from './drive-client.ts'
import { idProperty, removeFile, type DriveFile } from './drive-files.ts'
import type { DriveFolder } from './drive-folder.ts'
import { cancelSession, openSession, sendPart } from './resumable-upload.ts'

const cleanUpWithinMs = 30_000

/** Where files are received. */
interface Receiver {
  readonly clients: ReturnType<typeof createDriveClients>
  readonly folder: DriveFolder
  readonly chunkBytes: number
}

/**
 * Sends a file to the folder: whole, or nothing of it is left there.
 *
 * @throws {RemoteFailure} or {CloudStoreError} `CONFLICT`; whatever the content throws passes as it is.
 */
export async function receiveFile(
  receiver: Receiver,
  { id, fileName, content }: NewBlob,
  signal: AbortSignal,
): Promise<StoredBlob> {
  const { clients, folder, chunkBytes } = receiver
  const client = clients(signal)
  if ((await folder.find(client, id)).length > 0) throw blobIdTaken()
  const metadata = { name: fileName, parents: [folder.folderId], appProperties: { [idProperty]: id } }
  const session = await openSession(client, metadata)
  try {
    const { file, size } = await send(client, session, gatherParts(content, chunkBytes, signal))
    folder.remember(id, file.id)
    return { size, links: linksOf(file) }
  } catch (error) {
    await undo(receiver, id, session)
    throw error
  }
}

async function send(
  client: DriveClient,
  session: string,
  parts: ReturnType<typeof gatherParts>,
): Promise<{ file: DriveFile; size: number }> {
  const digest = md5.create()
  let size = 0
  let file: DriveFile | undefined
  for await (const part of parts) {
    digest.update(part.bytes)
    file = await sendPart(client, session, part, size)
    size += part.bytes.length
  }
  checkFile(file, size, bytesToHex(digest.digest()))
  return { file, size }
}

/** Removes whatever a failed upload left, also where its answer was lost; with a time limit of its own. */
async function undo({ clients, folder }: Receiver, id: string, session: string): Promise<void> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(new RemoteFailure('it took too long')), cleanUpWithinMs)
  const client = clients(stop.signal)
  try {
    await cancelSession(client, session).catch(() => {})
    for (const driveId of await folder.find(client, id).catch(() => [])) {
      await removeFile(client, driveId).catch(() => {})
    }
  } finally {
    clearTimeout(timer)
  }
}

function checkFile(file: DriveFile | undefined, size: number, digest: string): asserts file is DriveFile {
  if (file === undefined) throw new RemoteFailure('Drive requested more bytes than the file has')
  const { size: storedSize = String(size), md5Checksum = digest } = file
  if (storedSize !== String(size) || md5Checksum !== digest)
    throw new RemoteFailure('Drive stored different bytes than it received', { transient: false })
}

function linksOf({ id, webViewLink }: DriveFile): BlobLinks {
  const url = URL.parse(webViewLink ?? '')
  const link =
    url?.protocol === 'https:' ? url.href : `https://drive.google.com/file/d/${encodeURIComponent(id)}/view`
  return { driveFile: { webViewLink: link } }
}
