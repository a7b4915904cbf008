import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import type { AuditEntry } from '../../ports/audit-log.ts'

const Entry = z.object({
  at: z.string(),
  action: z.enum(['search', 'upload']),
  outcome: z.enum(['allowed', 'denied']),
  id: z.string(),
  subject: z.string(),
  scope: z.optional(z.array(z.string())),
  actor: z.optional(z.string()),
  rows: z.optional(z.number()),
  bytes: z.optional(z.number()),
  reason: z.optional(z.string()),
})

/** Entries of a device's audit log. */
export interface AuditHistory {
  /** Entries, oldest first. */
  readonly entries: readonly AuditEntry[]
  /** Whether older entries may have been dropped because of the size limit. */
  readonly isCut: boolean
  /** Number of lines without a valid entry. */
  readonly damagedLines: number
}

/**
 * Reads the files of `createFileAuditLog`, also while an agent writes them. Returns no entries for a folder without
 * these files.
 *
 * @throws the system error if a file exists and cannot be read
 */
export async function readFileAuditLog(folder: string): Promise<AuditHistory> {
  const older = await readLines(path.join(folder, 'audit.1.jsonl'))
  const newer = await readLines(path.join(folder, 'audit.jsonl'))
  const parsed = [...(older ?? []), ...(newer ?? [])].map(parseLine)
  const entries = parsed.filter((entry) => entry !== undefined)
  return { entries, isCut: older !== undefined, damagedLines: parsed.length - entries.length }
}

/** The whole lines of a file: an agent may be writing the last one. */
async function readLines(file: string): Promise<readonly string[] | undefined> {
  try {
    return (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parseLine(line: string): AuditEntry | undefined {
  try {
    return z.parse(Entry, JSON.parse(line))
  } catch {
    return undefined
  }
}
