import { readdirSync, readFileSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { sep } from 'node:path'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'

// the unit of /proc on every architecture that Node runs on
const ticksPerSecond = 100

/** A process, as /proc shows it. */
interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Tells it from a later process with the same number. */
  readonly startedAt: string
}

/** Rows that are read before others get their turn: about a millisecond. */
const rowsAtOnce = 100

/**
 * All processes of a Linux system; none where there is no /proc.
 *
 * The kernel answers from memory: the way through the thread pool would cost ten times the reading, and have a file of
 * each process open at once.
 */
export async function readProcessTable(): Promise<ProcessRow[]> {
  if (process.platform !== 'linux') return []
  const rows: ProcessRow[] = []
  for (const [index, pid] of listProcesses().entries()) {
    if (index > 0 && index % rowsAtOnce === 0) await yieldToEventLoop()
    const row = readRow(pid)
    if (row !== undefined) rows.push(row)
  }
  return rows
}

function listProcesses(): number[] {
  try {
    const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return names.map(Number)
  } catch {
    return []
  }
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return '' // it has ended
  }
}

function readRow(pid: number): ProcessRow | undefined {
  const text = readStat(pid)
  // the name in parentheses may itself hold anything
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  const startedAt = fields[19]
  if (startedAt === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt }
}

/**
 * Remembers which processes came from one that we started, so that those are found that have left its group and
 * whose parents are gone.
 */
export interface ProcessFamily {
  /** Looks for new members. */
  update(): Promise<void>
  /** Members that still run, the first one not among them. */
  living(): Promise<ProcessRow[]>
}

/**
 * @param ownFolder Folder that nobody else works in: later orphans in it are members. Without one they are not looked
 * for.
 */
export function createProcessFamily(pid: number, ownFolder?: string): ProcessFamily {
  const members = new Map<number, string>()
  const bornAfter = ownFolder === undefined ? Infinity : ticksSinceBoot() - ticksPerSecond

  const grow = (table: readonly ProcessRow[]): void => {
    const sessions = new Set([pid])
    for (const row of table)
      if (members.get(row.pid) === row.startedAt && row.session !== 0) sessions.add(row.session)
    for (let size = -1; size !== members.size;) {
      size = members.size
      for (const row of table) {
        if (row.pid === process.pid) continue
        const isChild = row.pid === pid || row.parent === pid || isMember(table, row.parent)
        if (isChild || row.group === pid || row.session === pid) members.set(row.pid, row.startedAt)
        // a session that a member leads has nobody else in it
        else if (sessions.has(row.session) && members.has(row.session)) members.set(row.pid, row.startedAt)
      }
    }
  }

  const isMember = (table: readonly ProcessRow[], parent: number): boolean => {
    const startedAt = members.get(parent)
    return startedAt !== undefined && table.some((row) => row.pid === parent && row.startedAt === startedAt)
  }

  return {
    async update() {
      grow(await readProcessTable())
    },
    async living() {
      const table = await readProcessTable()
      grow(table)
      for (const row of table) {
        if (ownFolder === undefined || Number(row.startedAt) < bornAfter) continue
        if (await isOrphanIn(row, ownFolder)) members.set(row.pid, row.startedAt)
      }
      grow(table)
      return table.filter((row) => row.pid !== pid && members.get(row.pid) === row.startedAt)
    },
  }
}

/** The time that /proc says processes started at, now. */
function ticksSinceBoot(): number {
  if (process.platform !== 'linux') return Infinity
  return Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * ticksPerSecond
}

/** Whether a process that nobody waits for works in the folder: something left it there. */
async function isOrphanIn(row: ProcessRow, folder: string): Promise<boolean> {
  if (row.parent !== 1 || process.pid === 1 || row.pid === process.pid) return false
  const place = await readlink(`/proc/${row.pid}/cwd`).catch(() => '')
  return place === folder || place.startsWith(folder + sep)
}
