import { DeviceCloudError } from '../../device-cloud-error.ts'
import { providerDisk } from './lanes.ts'

/** Disk calls for a list of which single rows may be missing. */
export interface TolerantDisk {
  /** The result of `work` at a path, or undefined when that fails or does not respond. @throws the signal's reason. */
  try<Result>(at: string, work: () => Promise<Result>): Promise<Result | undefined>
  /** Whether a call did not respond. */
  isPartial(): boolean
}

/** Builds the disk calls of one search. */
export function createTolerantDisk(signal: AbortSignal): TolerantDisk {
  let partial = false
  return {
    async try(at, work) {
      try {
        return await providerDisk.run({ at, work }, signal)
      } catch (error) {
        signal.throwIfAborted()
        partial ||= DeviceCloudError.is(error)
        return undefined
      }
    },
    isPartial: () => partial,
  }
}
