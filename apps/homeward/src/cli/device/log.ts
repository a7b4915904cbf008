import { join } from 'node:path'
import type { AuditEntry } from '@homeward/device-sdk'
import { readFileAuditLog, type AuditHistory } from '@homeward/device-sdk/node'
import { printable } from '../../terminal/printable.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput } from '../output.ts'
import type { DeviceOptions } from './device-options.ts'
import { findStateFolder } from './state-folder.ts'

/** Options of `homeward device log`. */
export interface LogOptions extends DeviceOptions {
  readonly since?: string
  readonly compare?: boolean
}

/** Prints what this device was asked for and what it sent, or compares it with the cloud. */
export async function showLog(options: LogOptions, cli: Cli): Promise<void> {
  const { folder } = findStateFolder(options.state, cli.environment, true)
  const sinceMs = parseSince(options.since, Date.now())
  const readLog = () => readHistory(folder)
  if (options.compare === true) {
    const { compareWithCloud } = await import('./compare-log.ts')
    return compareWithCloud({ options, cli, folder, sinceMs, readLog })
  }
  const history = await readLog()
  const entries = history.entries.filter(({ at }) => Date.parse(at) >= sinceMs).map(toLogEntry)
  const output = openOutput(cli, options)
  if (history.damagedLines > 0) output.warn(`${history.damagedLines} lines of the log are damaged.`)
  output.result(entries, () =>
    entries.length === 0 ? 'Nothing was asked of this device.' : entries.map(toLine).join('\n'),
  )
}

/** An entry as it is printed. A search has `query` and `scope`, a file has `path`. */
interface LogEntry extends Omit<AuditEntry, 'action' | 'subject'> {
  readonly kind: 'search' | 'file'
  readonly query?: string
  readonly path?: string
}

function toLogEntry({ action, subject, scope, ...entry }: AuditEntry): LogEntry {
  if (action === 'upload') return { ...entry, kind: 'file', path: subject }
  return { ...entry, kind: 'search', query: subject, scope }
}

function toLine(entry: LogEntry): string {
  const { at, id, kind, actor = 'unknown', query, scope = [], path, outcome, rows, bytes = 0, reason } = entry
  const what = kind === 'file' ? path : `"${query}" in ${scope.join(', ')}`
  const sent = rows === undefined ? `${bytes} bytes` : `${rows} rows, ${bytes} bytes`
  const isRefused = outcome === 'denied' && bytes === 0
  const parts = [
    ...(isRefused ? ['nothing sent'] : [`sent ${sent}`]),
    ...(reason === undefined ? [] : [reason]),
  ]
  return printable(`${at}  ${id}  ${kind}  ${actor}  ${what}: ${parts.join('; ')}`)
}

async function readHistory(folder: string): Promise<AuditHistory> {
  try {
    return await readFileAuditLog(folder)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const fix = 'Run the command as the owner of the folder, or with sudo.'
    throw new CliError(`Reading ${join(folder, 'audit.jsonl')} failed: ${code}. ${fix}`, undefined, { cause })
  }
}

const units = { h: 3_600_000, d: 86_400_000 }

/** Milliseconds since 1970. @throws {CliError} wrong use */
function parseSince(text: string | undefined, nowMs: number): number {
  if (text === undefined) return -Infinity
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const ms = count === undefined ? Date.parse(text) : nowMs - Number(count) * units[unit as 'h' | 'd']
  if (!Number.isNaN(ms)) return ms
  throw new CliError(
    'Reading the log failed: "--since" must be an ISO time, or hours or days such as 24h and 7d.',
    exitCodes.usage,
  )
}
