import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import type { Timers } from '../ports/index.ts'
import { createAutoResetEvent } from '@homeward/kit'

const maxMetadataMs = 10_000

/** Facts about the machine are a courtesy: a device that cannot tell them in time is online all the same. */
export async function readMetadata(
  metadata: () => DeviceMetadata | Promise<DeviceMetadata>,
  signal: AbortSignal,
  timers: Timers,
): Promise<DeviceMetadata> {
  let facts: DeviceMetadata = {}
  try {
    const told = metadata()
    if (!(told instanceof Promise)) return told
    const over = createAutoResetEvent(timers)
    void told
      .then((late) => (facts = late))
      .catch(() => {})
      .finally(() => over.set())
    await over.wait(maxMetadataMs, signal)
  } catch {
    // What cannot be told now is told with a later beat.
  }
  return facts
}
