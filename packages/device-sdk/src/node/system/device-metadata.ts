import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import os from 'node:os'
import { toSizeText } from './to-size-text.ts'

/**
 * Returns metadata of this machine for heartbeats, such as `{ os: 'Linux', version: '6.8.0', hardware: 'x86_64, 8
 * cores, 16 GiB' }`.
 *
 * Contains no host name, user name or serial number.
 *
 * @example
 * createDeviceAgent({ metadata: readDeviceMetadata })
 */
export function readDeviceMetadata(): DeviceMetadata {
  const cores = os.availableParallelism()
  const hardware = `${os.machine()}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${toSizeText(os.totalmem())}`
  return { os: nameOf(os.type()), version: os.release(), hardware }
}

function nameOf(type: string): string {
  if (type === 'Darwin') return 'macOS'
  return type === 'Windows_NT' ? 'Windows' : type
}
