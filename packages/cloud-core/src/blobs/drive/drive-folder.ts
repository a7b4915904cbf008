import type { DriveClient } from './drive-client.ts'
import { findFiles } from './drive-files.ts'

const maxKnown = 1000

/** Finds the files of one folder by their ids in the cloud. */
export interface DriveFolder {
  readonly folderId: string
  /** Drive's own ids of the files that are kept under an id: none, one, or more where something was stored twice. */
  find(client: DriveClient, id: string): Promise<string[]>
  /** Notes what was just stored: it is found even where Drive's search does not show it yet. */
  remember(id: string, driveId: string): void
  forget(id: string): void
}

/** Looks into a folder. */
export function createDriveFolder(folderId: string): DriveFolder {
  const known = new Map<string, string>()
  return {
    folderId,
    async find(client, id) {
      const own = known.get(id)
      const found = (await findFiles(client, folderId, id)).map((file) => file.id)
      return own === undefined || found.includes(own) ? found : [own, ...found]
    },
    remember(id, driveId) {
      known.set(id, driveId)
      const [oldest] = known.keys()
      if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
    },
    forget: (id) => void known.delete(id),
  }
}
