import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BlobStore, DeviceCloudOptions } from '@homeward/cloud-core'
import { onTestFinished } from 'vitest'
import { type AgentProcess, type AgentProcessOptions, startAgentProcess } from './agent-process.ts'
import { type FaultyCloud, startFaultyCloud } from './faulty-cloud.ts'

/** One device of one cloud, with a folder to share and one for its state. */
export interface TestDevice extends FaultyCloud {
  readonly root: string
  readonly stateFolder: string
  readonly apiKey: string
  /** Starts the agent; a killed one is started again with the same state. */
  start(options?: Partial<AgentProcessOptions>): AgentProcess
  search(query: string): Promise<string>
  requestFile(filePath: string): Promise<string>
  searchOf(id: string): Promise<Record<string, unknown>>
  uploadOf(id: string): Promise<Record<string, unknown>>
  /** Bytes that the cloud keeps of an uploaded file. */
  fileOf(id: string): Promise<Buffer>
}

/** Registers a device at a cloud of its own. */
export async function createTestDevice(
  blobs?: BlobStore,
  options: Partial<DeviceCloudOptions> = {},
): Promise<TestDevice> {
  const [cloud, root, stateFolder] = await Promise.all([
    startFaultyCloud(blobs, options),
    tempFolder(),
    tempFolder(),
  ])
  const { id: deviceId, apiKey } = await cloud.register()
  const { user } = cloud
  const only = <Row>([row, ...more]: readonly Row[]): Row => {
    if (row === undefined || more.length > 0) throw new Error('expected exactly one row')
    return row
  }
  const uploadOf = async (requestId: string) =>
    only((await cloud.cloud.listUploads(user, { requestId })).results)

  return {
    ...cloud,
    // A getter and setter of the cloud's own: a copy would decide nothing.
    get fault() {
      return cloud.fault
    },
    set fault(decide) {
      cloud.fault = decide
    },
    root,
    stateFolder,
    apiKey,
    start: (options) =>
      startAgentProcess({ cloudUrl: cloud.url, apiKey, roots: [root], stateFolder, ...options }),
    async search(query) {
      const body = { query, scope: ['files'], deviceIds: [deviceId] }
      return only((await cloud.cloud.createSearches(user, body)).searchQueries).id
    },
    async requestFile(filePath) {
      const body = { filePath, destination: 'cloud' as const, deviceIds: [deviceId] }
      return only((await cloud.cloud.createUploads(user, body)).uploadRequests).id
    },
    searchOf: async (queryId) => only((await cloud.cloud.listSearches(user, { queryId })).results),
    uploadOf,
    async fileOf(requestId) {
      const { fileUrl } = await uploadOf(requestId)
      const response = await fetch(fileUrl ?? '')
      return Buffer.from(await response.arrayBuffer())
    },
  }
}

/** A folder that is gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'homeward-device-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
