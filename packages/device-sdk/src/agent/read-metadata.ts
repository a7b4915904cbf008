import type { DeviceMetadata } from '@homeward/contract/device-cloud'
import { allowsScope, type DevicePolicy } from '../policy/device-policy.ts'
import type { SearchProviders, Timers } from '../ports/index.ts'
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

/** More than readers of metadata take. */
const maxScopes = 64

/** Declares in the metadata which scopes can be searched, unless `facts` has `scopes` of its own. */
export function withScopes(
  facts: DeviceMetadata,
  providers: SearchProviders,
  policy: DevicePolicy,
): DeviceMetadata {
  const isOpen = (name: string) => name !== 'truncated' && providers[name] && allowsScope(policy, name)
  const names = Object.keys(providers).filter(isOpen).slice(0, maxScopes)
  return names.length === 0 ? facts : { scopes: names.map((name) => ({ name })), ...facts }
}
