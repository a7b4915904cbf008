import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ApiKey, createDeviceAgent, type DeviceAgent, type FileSource } from '@homeward/device-sdk'
import {
  toAnnouncedFolders,
  createAppList,
  createConsentFolder,
  createContentSearch,
  createFileAuditLog,
  createFileCatalog,
  createFileIndex,
  createFileOutbox,
  createFileSearch,
  createFileSource,
  createSystemFacts,
  type FileIndex,
  type FileIndexStatus,
  limitCpu,
  paceFileSource,
  type WaitingRequest,
} from '@homeward/device-sdk/node'
import { agentMetadata } from './agent-metadata.ts'
import type { ConsentSettings } from '../settings/consent-settings.ts'
import { printable } from '../terminal/printable.ts'

/** What the agent of this machine works with. */
interface DeviceAgentSettings {
  readonly cloudUrl: string
  readonly apiKey: ApiKey
  /** Lets the device in before it works. @default none: the cloud knows the key */
  readonly enroll?: (signal: AbortSignal) => Promise<unknown>
  /** Called when {@link DeviceAgentSettings.enroll} failed, after the reason was logged. */
  readonly onEnrollmentError?: () => void
  /** Folders that can be searched and read; nothing outside them can. */
  readonly roots: readonly string[]
  /** Folder for the outbox and the audit log. */
  readonly stateFolder: string
  /** Whether the cloud learns which folders these are. @default true */
  readonly announceFolders?: boolean
  /** Whether the cloud may search for text inside files. @default false */
  readonly contentSearch?: boolean
  /** Whether the cloud gets the list of files, for searches while the device is off. @default false */
  readonly catalog?: boolean
  /** Whether the words of files are in the index, if the cloud may search for them. @default false */
  readonly contentIndex?: boolean
  /** Milliseconds between two looks of an index of the files. @default none: searches walk the folders */
  readonly indexIntervalMs?: number | undefined
  readonly intervalMs: number
  /** How the cloud is asked for work. @default "held" */
  readonly work?: 'held' | 'poll'
  /** How much the agent does while nothing is asked of it. @default "normal" */
  readonly activity?: 'normal' | 'lowest'
  /** Bytes a second that uploads take at most. @default no limit */
  readonly maxUploadBytesPerSecond?: number | undefined
  /** Percent of one core that the process takes at most. @default no limit */
  readonly maxCpuPercent?: number | undefined
  /** How the owner is asked before anything leaves the device. @default nobody is asked */
  readonly consent?: ConsentSettings | undefined
  /** Takes one line for each fact. */
  readonly log: (line: string) => void
}

/** A running agent. */
export interface RunningAgent {
  readonly agent: DeviceAgent
  /** How the index of files is doing. */
  indexStatus(): FileIndexStatus
  /** Ends the agent, which then gives up the state folder. */
  close(): Promise<void>
}

const outboxOf = (stateFolder: string) => join(stateFolder, 'outbox')

/**
 * Looks whether an agent could start with this state folder.
 *
 * @throws {DeviceCloudError} `STATE_UNAVAILABLE` when another process works in it, or it cannot be written.
 */
export async function assertStateFolder(stateFolder: string): Promise<void> {
  const outbox = createFileOutbox({ folder: outboxOf(stateFolder) })
  try {
    await outbox.list()
  } finally {
    await outbox.close?.()
  }
}

/** Puts together an agent that serves files, apps and system facts of this machine, and starts it. */
export async function startDeviceAgent(settings: DeviceAgentSettings): Promise<RunningAgent> {
  const { cloudUrl, apiKey, roots, stateFolder, contentSearch = false, intervalMs, work, activity } = settings
  const { announceFolders = true } = settings
  // An empty list replaces the one that was announced before.
  const folders = announceFolders ? toAnnouncedFolders(roots) : []
  const log = (line: string) => settings.log(printable(line))
  const outbox = createFileOutbox({
    folder: outboxOf(stateFolder),
    onDamaged: (damaged) => log(`a damaged state file was set aside: ${JSON.stringify(damaged)}`),
  })
  const auditLog = createFileAuditLog({ folder: stateFolder })
  const endLimit = settings.maxCpuPercent === undefined ? undefined : limitCpu(settings.maxCpuPercent)
  const index = await openIndex(settings, log)
  const consent = settings.consent ? 'ask' : 'off'
  const announced = createAnnouncedStatus(() => index?.status() ?? noIndex)
  const agent = createDeviceAgent({
    baseUrl: cloudUrl,
    apiKey,
    providers: {
      files: index ?? createFileSearch({ roots }),
      content: index?.contents ?? createContentSearch({ roots }),
      apps: createAppList(),
      system: createSystemFacts(),
    },
    policy: { contentSearch, ...createConsent(settings, log) },
    files: createUploadSource(settings),
    catalog: createFileCatalog({ roots, folder: stateFolder, isShared: settings.catalog ?? false, index }),
    outbox,
    auditLog,
    metadata: () => ({ ...agentMetadata(), folders, index: announced(), consent }),
    intervalMs,
    ...(work && { work }),
    ...(activity && { activity }),
    ...(settings.enroll && { enroll: settings.enroll }),
  })
  logEvents(agent, log)
  agent.on('enrollment:error', () => settings.onEnrollmentError?.())
  agent.start()
  return {
    agent,
    indexStatus: () => index?.status() ?? noIndex,
    async close() {
      await agent.stop()
      await index?.close()
      endLimit?.()
    },
  }
}

/** The part of the policy that asks the owner, by `homeward device requests` and a program. */
function createConsent({ stateFolder, consent }: DeviceAgentSettings, log: (line: string) => void) {
  if (consent === undefined) return undefined
  const onAsk = ({ id, kind, actor, query, path }: WaitingRequest) =>
    log(`${kind} ${id} of ${actor} waits for "homeward device allow ${id}": ${query ?? path}`)
  return {
    consent: createConsentFolder({ folder: stateFolder, ...consent, onAsk, log }),
    consentTimeoutMs: consent.timeoutMs,
  }
}

function createUploadSource({ roots, maxUploadBytesPerSecond }: DeviceAgentSettings): FileSource {
  const source = createFileSource({ roots })
  if (maxUploadBytesPerSecond === undefined) return source
  return paceFileSource(source, { maxBytesPerSecond: maxUploadBytesPerSecond })
}

const noIndex: FileIndexStatus = { state: 'off', files: 0, bytes: 0 }

/** The index of files, if there is to be one; the file of an earlier one is removed otherwise. */
async function openIndex(
  {
    roots,
    stateFolder,
    indexIntervalMs: intervalMs,
    contentIndex,
    contentSearch,
    activity,
  }: DeviceAgentSettings,
  log: (line: string) => void,
): Promise<FileIndex | undefined> {
  const path = join(stateFolder, 'index.db')
  if (contentIndex && !contentSearch)
    log('no words are in the index: DEVICE_CONTENT_INDEX works with DEVICE_CONTENT_SEARCH=on only')
  if (contentIndex && intervalMs === undefined)
    log('no words are in the index: DEVICE_CONTENT_INDEX works with DEVICE_INDEX=on only')
  const contents = contentIndex && contentSearch ? {} : false
  if (intervalMs !== undefined)
    return createFileIndex({ roots, path, intervalMs, contents, log, ...(activity && { activity }) })
  for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true })
  return undefined
}

const announceEveryMs = 3_600_000

/** The state of the index in the metadata. It changes seldom, because the cloud writes each change to its database. */
function createAnnouncedStatus(read: () => FileIndexStatus): () => FileIndexStatus {
  let told = read()
  let toldMs = 0
  return () => {
    const status = read()
    const nowMs = Date.now()
    if (status.state !== told.state || nowMs - toldMs >= announceEveryMs) {
      told = status
      toldMs = nowMs
    }
    return told
  }
}

function logEvents(agent: DeviceAgent, log: (line: string) => void): void {
  const retry = (inMs: number | undefined) =>
    inMs === undefined ? 'final' : `next try in ${Math.round(inMs / 1000)} s`
  let online = false
  agent.on('enrollment:end', () => log('the cloud let this device in'))
  agent.on('enrollment:error', ({ error }) => log(error.message))
  agent.on('heartbeat:end', () => {
    if (!online) log('online')
    online = true
  })
  agent.on('heartbeat:error', ({ error, retryInMs }) => {
    online = false
    log(`heartbeat failed: ${error.message} (${retry(retryInMs)})`)
  })
  agent.on('unauthorized', ({ probeInMs }) => log(`the cloud refused the API key; ${retry(probeInMs)}`))
  agent.on('authorized', () => log('the cloud accepts the API key again'))
  agent.on('poll:error', ({ kind, error, retryInMs }) =>
    log(`listing ${kind} failed: ${error.message} (${retry(retryInMs)})`),
  )
  agent.on('request:error', ({ kind, id, error }) =>
    log(`a request in the list of ${kind} is left alone: ${id || 'no id'}: ${error.message}`),
  )
  agent.on('search:start', ({ queryId, query, scope }) =>
    log(`search ${queryId}: "${query}" in ${scope.join(', ')}`),
  )
  agent.on('search:end', ({ queryId, error, tookMs }) =>
    log(`search ${queryId}: ${error ?? 'done'} after ${Math.round(tookMs)} ms`),
  )
  agent.on('report:end', ({ queryId, status }) => log(`search ${queryId}: reported, ${status}`))
  agent.on('report:error', ({ queryId, error, retryInMs }) =>
    log(`search ${queryId}: report failed: ${error.message} (${retry(retryInMs)})`),
  )
  agent.on('upload:start', ({ requestId, filePath }) => log(`upload ${requestId}: ${filePath}`))
  agent.on('upload:progress', ({ requestId, sentBytes, totalBytes }) =>
    log(`upload ${requestId}: ${sentBytes} of ${totalBytes} bytes`),
  )
  agent.on('upload:end', ({ requestId, fileUrl, error }) =>
    log(`upload ${requestId}: ${error ?? fileUrl ?? 'done'}`),
  )
  agent.on('upload:error', ({ requestId, error, retryInMs }) =>
    log(`upload ${requestId} failed: ${error.message} (${retry(retryInMs)})`),
  )
  agent.on('catalog:end', (catalog) =>
    log(
      catalog.kind === 'sent'
        ? `catalog: the cloud has ${catalog.files} files`
        : 'catalog: removed from the cloud',
    ),
  )
  agent.on('catalog:error', ({ error, retryInMs }) => log(`catalog: ${error.message} (${retry(retryInMs)})`))
  agent.on('state:error', ({ part, error }) => log(`${part}: ${error.message}`))
}
