import type { FileIndexStatus } from '@homeward/device-sdk/node'
import type { Cli } from '../cli.ts'
import { openOutput } from '../output.ts'
import { homewardVersion } from '../../program/version.ts'
import { isRunning, readContact } from './contact-file.ts'
import type { DeviceOptions } from './device-options.ts'
import { readPairing } from './pairing-file.ts'
import { findService, inspectService, type ServiceState } from './service/service.ts'
import { findStateFolder } from './state-folder.ts'

/** What `homeward device status --json` prints. */
export interface DeviceStatus {
  readonly version: string
  /** Folder of the state. */
  readonly state: string
  readonly paired: boolean
  readonly cloud?: string
  readonly name?: string
  readonly deviceId?: string
  readonly pairedAt?: string
  /** Whether an agent works in this folder now. */
  readonly running: boolean
  /** Of the agent that ran last. */
  readonly agentVersion?: string
  readonly roots: readonly string[]
  /** Of the index of files, as the agent last wrote it down. */
  readonly index: FileIndexStatus
  readonly lastContactAt?: string
  /** Why the last heartbeat failed. */
  readonly problem?: string
  readonly service: ServiceState
}

/** Reads how this device is doing. Nothing is sent. */
export async function readStatus(options: DeviceOptions, cli: Cli): Promise<DeviceStatus> {
  const { folder } = findStateFolder(options.state, cli.environment, true)
  const [pairing, contact, service] = await Promise.all([
    readPairing(folder),
    readContact(folder),
    inspectService(findService(undefined, cli.environment)),
  ])
  return {
    version: homewardVersion,
    state: folder,
    paired: pairing?.deviceId !== undefined,
    ...(pairing && { cloud: pairing.cloudUrl, name: pairing.name }),
    ...(pairing?.deviceId !== undefined && { deviceId: pairing.deviceId }),
    ...(pairing?.pairedAt !== undefined && { pairedAt: pairing.pairedAt }),
    running: contact !== undefined && isRunning(contact),
    ...(contact && { agentVersion: contact.version }),
    roots: contact?.roots ?? [],
    index: toIndexStatus(contact?.index),
    ...(contact?.lastContactAt !== undefined && { lastContactAt: contact.lastContactAt }),
    ...(contact?.problem !== undefined && { problem: contact.problem }),
    service,
  }
}

/** Prints it. */
export async function showStatus(options: DeviceOptions, cli: Cli): Promise<void> {
  const status = await readStatus(options, cli)
  openOutput(cli, options).result(status, () => toText(status))
}

function toText(status: DeviceStatus): string {
  const { service, roots } = status
  const rows = [
    ['Paired with', status.paired ? status.cloud : 'nothing: run "homeward device pair --cloud <address>"'],
    ['Device', status.paired ? `${status.name}, id ${status.deviceId}` : undefined],
    ['Agent', status.running ? `running, version ${status.agentVersion}` : 'not running'],
    ['Last contact', status.lastContactAt ?? 'never'],
    ['Problem', status.problem],
    ['Roots', roots.length > 0 ? roots.join(', ') : 'none yet'],
    ['Index', describeIndex(status.index)],
    ['Service', describeService(service)],
    ['State', status.state],
  ] as const
  return rows
    .flatMap(([name, value]) => (value === undefined ? [] : [`${`${name}:`.padEnd(14)}${value}`]))
    .join('\n')
}

function toIndexStatus(
  index: NonNullable<Awaited<ReturnType<typeof readContact>>>['index'],
): FileIndexStatus {
  if (index === undefined) return { state: 'off', files: 0, bytes: 0 }
  const { updatedAt, ...rest } = index
  return { ...rest, ...(updatedAt !== undefined && { updatedAt }) }
}

function describeIndex({ state, files, updatedAt }: FileIndexStatus): string {
  if (state === 'off') return 'off: searches walk the folders'
  if (state === 'building') return `being built, ${files} files so far`
  return `${files} files, last look at ${updatedAt}`
}

function describeService({ kind, installed, active }: ServiceState): string {
  if (!installed) return 'not installed'
  const state = active === undefined ? 'state unknown' : active ? 'active' : 'not active'
  return `installed (${kind}), ${state}`
}
