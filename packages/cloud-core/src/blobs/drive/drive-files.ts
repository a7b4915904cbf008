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
  throw new RemoteFailure('Drive sent an answer of another form')
}

/** The files that are kept under an id: none, one, or more where something was stored twice. */
export async function findFiles(client: DriveClient, folderId: string, id: string): Promise<DriveFile[]> {
  const condition = `appProperties has { key='${idProperty}' and value='${id}' }`
  const { files } = await listPage(client, `'${folderId}' in parents and trashed=false and ${condition}`)
  return files
}

/** Ids of the files in the folder that were made before a time. */
export async function* listIds(
  client: DriveClient,
  folderId: string,
  storedBefore: string,
): AsyncGenerator<string, void> {
  const condition = `'${folderId}' in parents and trashed=false and createdTime < '${storedBefore}'`
  let token: string | undefined
  do {
    const page = await listPage(client, condition, token)
    for (const { appProperties } of page.files) {
      const id = appProperties?.[idProperty]
      if (id !== undefined) yield id
    }
    const next = page.nextPageToken
    if (next !== undefined && next === token)
      throw new RemoteFailure('Drive lists the same files again and again')
    token = next
  } while (token !== undefined)
}

async function listPage(
  client: DriveClient,
  condition: string,
  pageToken?: string,
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
  const response = await client.sendAgain(`${client.apiUrl}/drive/v3/files?${query}`, { method: 'GET' })
  const parsed = z.safeParse(FileList, await response.json().catch(() => undefined))
  if (parsed.success) return parsed.data
  throw new RemoteFailure('Drive sent an answer of another form')
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
