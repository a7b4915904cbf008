import { SearchReport, SearchRequest } from '@homeward/contract/device-cloud'
import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import type { OutboxEntry } from '../../ports/outbox.ts'
import { syncFolder } from './sync-folder.ts'

// Only what is listed here reaches the disk: nothing else that a caller's object carries, a key least of all.
const EntryFile = z.discriminatedUnion('state', [
  z.object({
    queryId: z.string(),
    state: z.literal('running'),
    request: SearchRequest,
    createdAt: z.string(),
  }),
  z.object({ queryId: z.string(), state: z.literal('ready'), report: SearchReport, createdAt: z.string() }),
])

/** Name of the file of an entry. A hash, because a query's id comes from the cloud and could be a path. */
export function toFileName(queryId: string): string {
  return `${createHash('sha256').update(queryId).digest('hex')}.json`
}

/** Whether a file in the folder holds an entry. */
export const isEntryFile = (name: string): boolean => /^[0-9a-f]{64}\.json$/.test(name)

/** Whether a file in the folder is what a killed write left behind. */
export const isUnfinished = (name: string): boolean => /^[0-9a-f]{64}\.json\.new$/.test(name)

/**
 * Turns an entry into what its file holds.
 *
 * @throws {DeviceCloudError} `STATE_UNAVAILABLE` when it could not be read back.
 */
export function serializeEntry(entry: OutboxEntry): Buffer {
  const parsed = EntryFile.safeParse(entry)
  if (parsed.success) return Buffer.from(JSON.stringify(parsed.data))
  const reason = z.prettifyError(parsed.error)
  throw new DeviceCloudError(
    'STATE_UNAVAILABLE',
    `Storing a search in the outbox failed: the entry is invalid: ${reason}.`,
  )
}

/** Writes an entry so that its file is, at any moment, the old one or the new one, whole. */
export async function writeEntry(folder: string, name: string, content: Buffer): Promise<void> {
  const file = path.join(folder, name)
  const unfinished = `${file}.new`
  try {
    await writeFile(unfinished, content, { mode: 0o600, flush: true })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {}) // what a full disk took of it
    throw error
  }
  await syncFolder(folder)
}

/**
 * Reads an entry's file.
 *
 * @throws {Error} when it is damaged.
 */
export async function readEntry(folder: string, name: string): Promise<OutboxEntry> {
  const content: unknown = JSON.parse(await readFile(path.join(folder, name), 'utf8'))
  const entry = EntryFile.parse(content)
  if (toFileName(entry.queryId) !== name)
    throw new Error('its content belongs to another search than its name')
  return entry
}
