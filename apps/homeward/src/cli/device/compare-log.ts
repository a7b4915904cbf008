import { join } from 'node:path'
import { ClientError, createClient } from '@homeward/contract/client'
import { deviceCloudOperations, type OwnAuditEntry } from '@homeward/contract/device-cloud'
import type { AuditEntry } from '@homeward/device-sdk'
import type { AuditHistory } from '@homeward/device-sdk/node'
import { printable } from '../../terminal/printable.ts'
import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { openOutput } from '../output.ts'
import type { LogOptions } from './log.ts'
import { readPairing, readState } from './pairing-file.ts'

/** The requests to this device that the cloud lists. */
interface CloudHistory {
  readonly entries: readonly OwnAuditEntry[]
  readonly knownSince?: string | undefined
}

/** The differences between the log of a device and the audit log of its cloud. */
export interface LogComparison {
  readonly same: number
  /** Answered requests of the cloud that are missing in the log of the device. */
  readonly onlyInCloud: readonly OwnAuditEntry[]
  /** Entries of the device that the cloud does not have: erased there, or never recorded. */
  readonly onlyOnDevice: readonly AuditEntry[]
  /** Requests whose actor differs. */
  readonly otherActor: readonly { readonly id: string; readonly device: string; readonly cloud: string }[]
  /** Requests that the device has not answered. They do not count as a difference. */
  readonly unanswered: Readonly<Record<'pending' | 'expired' | 'canceled', number>>
  /** Requests that are older than the log of the device, which has a greatest size. They do not count, either. */
  readonly beforeLog: number
  /** Entries of the device from before its pairing, or older than what the cloud stores. They do not count, either. */
  readonly beforeCloud: number
}

/** Reads the log of the device, then what the cloud has, and prints what differs. */
export async function compareWithCloud({
  options,
  cli,
  folder,
  sinceMs,
  readLog,
}: {
  readonly options: LogOptions
  readonly cli: Cli
  readonly folder: string
  readonly sinceMs: number
  readonly readLog: () => Promise<AuditHistory>
}): Promise<void> {
  const pairing = await readPairing(folder)
  const before = await readLog()
  const firstMs = before.isCut ? Date.parse(before.entries[0]?.at ?? '') || 0 : 0
  const cloudUrl = pairing?.cloudUrl ?? cli.environment['CLOUD_URL']
  const key = cli.environment['DEVICE_API_KEY'] ?? (await readState(join(folder, 'device-key')))
  if (cloudUrl === undefined || key === undefined)
    throw new CliError(
      `Comparing the log failed: ${folder} contains no pairing. Run "homeward device pair --cloud <address>" first.`,
    )
  const cloud = await readCloud(cloudUrl, key.trim(), Math.max(sinceMs, firstMs) - longestTtlMs)
  // A request that the device answered since the first look is in its log by now, because it writes before it reports.
  const after = await readLog()
  const pairedMs = Date.parse(pairing?.pairedAt ?? '') || 0
  const result = compareLogs({ before, after, cloud, sinceMs, pairedMs })
  openOutput(cli, options).result(result, () => toText(result))
  const count = result.onlyInCloud.length + result.onlyOnDevice.length + result.otherActor.length
  if (count > 0)
    throw new CliError(`The logs differ in ${count === 1 ? 'one request' : `${count} requests`}.`)
}

/** The cloud holds a request for so long at most (C10), so its answer is not later than that. */
const longestTtlMs = 8 * 24 * 60 * 60 * 1000
const pageSize = '1000'

async function readCloud(baseUrl: string, key: string, fromMs: number): Promise<CloudHistory> {
  const { listOwnAudit } = deviceCloudOperations
  const headers = { authorization: `Bearer ${key}` }
  const client = createClient({ listOwnAudit }, { baseUrl, headers })
  const entries: OwnAuditEntry[] = []
  let cursor: string | undefined
  try {
    for (;;) {
      const page = await client.listOwnAudit({ query: { limit: pageSize, ...(cursor && { cursor }) } })
      entries.push(...page.entries)
      cursor = page.nextCursor
      const oldestMs = Date.parse(page.entries.at(-1)?.at ?? '')
      if (cursor === undefined || oldestMs < fromMs) return { entries, knownSince: page.knownSince }
    }
  } catch (cause) {
    if (!ClientError.is(cause)) throw cause
    if (cause.status === 404 || cause.status === 405)
      throw new CliError(
        'Comparing the log failed: the cloud does not support it. Update the cloud.',
        undefined,
        {
          cause,
        },
      )
    if (cause.status === 401)
      throw new CliError(
        'Comparing the log failed: the cloud rejects the key. Pair this device again.',
        undefined,
        {
          cause,
        },
      )
    throw cause
  }
}

/** Compares two logs. `before` was read before the log of the cloud, and `after` after it. */
export function compareLogs({
  before,
  after,
  cloud,
  sinceMs,
  pairedMs,
}: {
  readonly before: AuditHistory
  readonly after: AuditHistory
  readonly cloud: CloudHistory
  readonly sinceMs: number
  readonly pairedMs: number
}): LogComparison {
  const firstMs = after.isCut ? Date.parse(after.entries[0]?.at ?? '') || 0 : -Infinity
  const knownMs = Math.max(pairedMs, Date.parse(cloud.knownSince ?? '') || 0)
  const here = new Map(after.entries.map((entry) => [entry.id, entry]))
  const there = new Set(cloud.entries.map(({ requestId }) => requestId))
  const unanswered = { pending: 0, expired: 0, canceled: 0 }
  const onlyInCloud: OwnAuditEntry[] = []
  const otherActor: { id: string; device: string; cloud: string }[] = []
  let [same, beforeLog] = [0, 0]
  for (const entry of cloud.entries) {
    if (Date.parse(entry.at) < sinceMs) continue
    const own = here.get(entry.requestId)
    if (own?.actor !== undefined && own.actor !== entry.actor)
      otherActor.push({ id: own.id, device: own.actor, cloud: entry.actor })
    else if (own !== undefined) same += 1
    else if (entry.unanswered !== undefined) unanswered[entry.unanswered] += 1
    else if (Date.parse(entry.at) < firstMs) beforeLog += 1
    else onlyInCloud.push(entry)
  }
  const ids = new Set<string>()
  const missing = before.entries.filter(({ id, at }) => {
    const isMissing = Date.parse(at) >= sinceMs && !there.has(id) && !ids.has(id)
    if (isMissing) ids.add(id)
    return isMissing
  })
  const onlyOnDevice = missing.filter(({ at }) => Date.parse(at) >= knownMs)
  const beforeCloud = missing.length - onlyOnDevice.length
  return { same, onlyInCloud, onlyOnDevice, otherActor, unanswered, beforeLog, beforeCloud }
}

function toText(result: LogComparison): string {
  const { unanswered, beforeLog, beforeCloud } = result
  const notes = [
    [unanswered.pending, 'not answered yet: not fetched, or waiting for the owner of the device'],
    [unanswered.expired, 'expired before the device answered'],
    [unanswered.canceled, 'canceled before the device answered'],
    [beforeLog, 'older than the log of this device'],
    [beforeCloud, 'in the log of this device from before its pairing, or older than what the cloud stores'],
  ] as const
  return [
    `${result.same} requests are the same in both logs.`,
    ...notes.flatMap(([count, text]) => (count === 0 ? [] : [`${count} ${text}.`])),
    ...result.onlyInCloud.map(
      ({ requestId, at, actor, action }) => `only in the cloud: ${at}  ${requestId}  ${action}  ${actor}`,
    ),
    ...result.onlyOnDevice.map(
      ({ id, at, action, actor = 'unknown', subject }) =>
        `only on this device: ${at}  ${id}  ${action}  ${actor}  ${subject}`,
    ),
    ...result.otherActor.map(
      ({ id, device, cloud }) => `another actor: ${id}  here ${device}, in the cloud ${cloud}`,
    ),
  ]
    .map(printable)
    .join('\n')
}
