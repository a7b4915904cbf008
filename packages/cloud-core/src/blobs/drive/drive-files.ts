import * as z from 'zod/mini'
import { RemoteFailure } from '../../remote/remote-failure.ts'
import type { DriveClient } from './drive-client.ts'

/** Property of a file that holds its id in the cloud. */
export const idProperty = 'homewardBlob'
/** Drive takes 124 bytes for a property, its name included. */
export const maxIdLength = 100

const DriveFile = z.object({
  id: z.string(),
  size: z.optional(z.string()),
  md5Checksum: z.optional(z.string()),
  webViewLink: z.optional(z.string()),
  appProperties: z.optional(z.record(z.string(), z.string())),
})
/** A file as Drive describes it: `size` in bytes, as text. */
export type DriveFile = z.infer<typeof DriveFile>

const FileList = z.object({ files: z.array(DriveFile), nextPageToken: z.optional(z.string()) })

/** Fields of a file that are asked for. */
export const fileFields = 'id,size,md5Checksum,webViewLink'

/** A file in an answer. @throws {RemoteFailure} */
export async function readDriveFile(response: Response): Promise<DriveFile> {
  const parsed = z.safeParse(DriveFile, await response.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  throw new RemoteFailure('Drive sent an unexpected response')
}

/** The files that are kept under an id: none, one, or more where something was stored twice. */
export async function findFiles(client: DriveClient, folderId: string, id: string): Promise<DriveFile[]> {
  const condition = `appProperties has { key='${idProperty}' and value='${id}' }`
  const files: DriveFile[] = []
  const listed = listFiles(client, `'${folderId}' in parents and trashed=false and ${condition}`)
  // Looked at once more: what is found is deleted with the id.
  for await (const file of listed) if (file.appProperties?.[idProperty] === id) files.push(file)
  return files
}

/** Ids of the files in the folder that were made before a time. */
export async function* listIds(
  client: DriveClient,
  folderId: string,
  storedBefore: string,
): AsyncGenerator<string, void> {
  const condition = `'${folderId}' in parents and trashed=false and createdTime < '${storedBefore}'`
  for await (const { appProperties } of listFiles(client, condition)) {
    const id = appProperties?.[idProperty]
    if (id !== undefined) yield id
  }
}

/** Drive may give pages with nothing on them before the one that has the file, but not without end. */
const maxEmptyPages = 100

async function* listFiles(client: DriveClient, condition: string): AsyncGenerator<DriveFile, void> {
  const seen = new Set<string>()
  let emptyPages = 0
  let token: string | undefined
  do {
    const { files, nextPageToken } = await client.again(() => readPage(client, condition, token))
    yield* files
    emptyPages = files.length === 0 ? emptyPages + 1 : 0
    token = nextPageToken === '' ? undefined : nextPageToken
    if (token !== undefined && (seen.has(token) || emptyPages === maxEmptyPages))
      throw new RemoteFailure('Drive lists the same files again and again', { transient: false })
    if (token !== undefined) seen.add(token)
  } while (token !== undefined)
}

async function readPage(
  client: DriveClient,
  condition: string,
  pageToken: string | undefined,
): Promise<z.infer<typeof FileList>> {
  const query = new URLSearchParams({
    q: condition,
    fields: `nextPageToken,files(${fileFields},appProperties)`,
    pageSize: '1000',
    spaces: 'drive',
    supportsAllDrives: 'true',
    includeItemsFromAllDrives: 'true',
    ...(pageToken === undefined ? undefined : { pageToken }),
  })
  const response = await client.send(`${client.apiUrl}/drive/v3/files?${query}`, { method: 'GET' })
  const parsed = z.safeParse(FileList, await response.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  throw new RemoteFailure('Drive sent an unexpected response')
}

/** Address of one file. */
export function fileUrl(client: DriveClient, driveId: string, query: Record<string, string> = {}): string {
  const search = new URLSearchParams({ supportsAllDrives: 'true', ...query })
  return `${client.apiUrl}/drive/v3/files/${encodeURIComponent(driveId)}?${search}`
}

/** Removes a file; one that is gone is no error. */
export async function removeFile(client: DriveClient, driveId: string): Promise<void> {
  const response = await client.sendAgain(fileUrl(client, driveId), { method: 'DELETE' }, [404])
  await response.body?.cancel()
}
