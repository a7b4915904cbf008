import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import { createBell } from './bell.ts'

const maxMetadataMs = 10_000

/** Facts about the machine are a courtesy: a device that cannot tell them in time is online all the same. */
export async function readMetadata(
  metadata: () => DeviceMetadata | Promise<DeviceMetadata>,
  signal: AbortSignal,
): Promise<DeviceMetadata> {
  const over = createBell()
  let facts: DeviceMetadata = {}
  const read = async () => {
    facts = await metadata()
  }
  void read()
    .catch(() => {})
    .finally(() => over.ring())
  await over.wait(maxMetadataMs, signal)
  return facts
}
