import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { createDeviceKey } from '../../enrollment/device-key.ts'
import { Secret } from '../../secret.ts'
import { checkFolder } from '../check-folder.ts'
import { stateDisk } from '../disk/lanes.ts'
import { writeEntry } from '../outbox/entry-file.ts'
import { hasCode, lockFolder } from '../outbox/folder-lock.ts'
import { syncFolder } from '../outbox/sync-folder.ts'

/** Options of {@link createKeyFile}. */
export interface KeyFileOptions {
  /** Folder of the file `device-key`. Created with mode 0700 if missing. */
  readonly folder: string
  /** Returns the time in milliseconds. @default Date.now */
  readonly now?: () => number
}

const attempt = 'Reading the key of this device'
const fileName = 'device-key'

/**
 * Creates a function that returns the key of this device from a file with mode 0600, and creates the key at the first
 * call.
 *
 * A returned key is on disk and survives `kill -9` and a power failure. To become a new device, delete the file.
 *
 * The function rejects with `STATE_UNAVAILABLE` if the file is damaged, or the disk fails or does not respond within
 * 10 seconds.
 *
 * @throws {DeviceCloudError} `INVALID_OPTION` if `folder` is missing.
 * @example
 * const apiKey = createKeyFile({ folder: '/var/lib/my-agent' })
 * const agent = createDeviceAgent({ baseUrl, apiKey, enroll: (signal) => enrollDevice({ ...who, baseUrl, apiKey, signal }) })
 */
export function createKeyFile(options: KeyFileOptions): () => Promise<Secret> {
  checkFolder(attempt, options)
  const { folder, now = Date.now } = options
  const work = () => readOrMake(folder, now)
  return () => stateDisk.run({ at: folder, work })
}

async function readOrMake(folder: string, now: () => number): Promise<Secret> {
  try {
    return (await readKey(folder)) ?? (await makeKey(folder, now))
  } catch (cause) {
    if (DeviceCloudError.is(cause)) throw cause
    throw new DeviceCloudError(
      'STATE_UNAVAILABLE',
      `${attempt} failed: the folder "${folder}" cannot be used. Check its path and permissions.`,
      {
        cause,
      },
    )
  }
}

async function readKey(folder: string): Promise<Secret | undefined> {
  const file = path.join(folder, fileName)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  if (/^hw_[\w-]{43}$/.test(text.trim())) return new Secret(text.trim())
  // Not replaced: the cloud may know the device by it, and a new key would be a second device.
  throw new DeviceCloudError(
    'STATE_UNAVAILABLE',
    `${attempt} failed: "${file}" does not contain a complete key. Restore it, or delete it to enroll as a new device.`,
  )
}

/** Two processes that start at once get the same key. */
async function makeKey(folder: string, now: () => number): Promise<Secret> {
  const lock = await lockFolder(folder, fileName, now)
  try {
    const made = await readKey(folder)
    if (made) return made
    const key = createDeviceKey()
    await writeEntry(folder, fileName, Buffer.from(`${key.reveal()}\n`))
    await syncFolder(path.dirname(path.resolve(folder)))
    return key
  } finally {
    await lock.release()
  }
}
