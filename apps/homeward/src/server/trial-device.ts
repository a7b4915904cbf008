import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { HttpError, type DeviceCloud } from '@homeward/cloud-core'
import { Secret } from '@homeward/device-sdk'
import { agentMetadata } from '../device/agent-metadata.ts'
import { platformName } from '../device/platform-name.ts'

const user = { userId: 'local' }

/** This machine as a device of the local user. */
interface TrialDevice {
  readonly id: string
  readonly apiKey: Secret
}

/**
 * Finds this machine among the registered devices, or registers it. Its API key is made anew at each start and lives
 * in memory only: no key lies in the data folder.
 */
export async function registerTrialDevice(cloud: DeviceCloud, home: string): Promise<TrialDevice> {
  const idFile = join(home, 'trial-device')
  const known = await readFile(idFile, 'utf8').catch(() => '')
  const newKey = known === '' ? undefined : await makeNewKey(cloud, known)
  if (newKey) return { id: known, apiKey: newKey }

  const registration = {
    name: hostname(),
    type: 'desktop',
    platform: platformName(),
    metadata: agentMetadata(),
  }
  const { device, apiKey } = await cloud.registerDevice(user, registration)
  await mkdir(home, { recursive: true, mode: 0o700 })
  await writeFile(idFile, device.id, { mode: 0o600 })
  return { id: device.id, apiKey: new Secret(apiKey) }
}

/** Undefined for a device that was deleted since. Any other failure must not make a second one of this machine. */
async function makeNewKey(cloud: DeviceCloud, id: string): Promise<Secret | undefined> {
  try {
    return new Secret((await cloud.rotateDeviceKey(user, id)).apiKey)
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return undefined
    throw error
  }
}
