import { type DeviceMetadata, isResultNote } from '@homeward/contract/device-cloud'
import { createAutoResetEvent } from '@homeward/kit'
import { allowsScope } from '../policy/device-policy.ts'
import type { SearchProviders, Timers } from '../ports/index.ts'
import type { AgentContext } from './agent-context.ts'

/** The facts that a device reports about itself with each heartbeat. Never rejects. */
export type DeviceFacts = (signal: AbortSignal) => Promise<DeviceMetadata>

/** Builds the report: the facts of the machine, and the scopes that can be searched. */
export function createDeviceFacts(
  { policy, timers }: Pick<AgentContext, 'policy' | 'timers'>,
  metadata: DeviceMetadata | (() => DeviceMetadata | Promise<DeviceMetadata>),
  providers: SearchProviders,
): DeviceFacts {
  const read = typeof metadata === 'function' ? metadata : () => metadata
  return async (signal) => withScopes(await readMetadata(read, signal, timers), providers, policy)
}

const maxMetadataMs = 10_000

/** Facts about the machine are a courtesy: a device that cannot tell them in time is online all the same. */
async function readMetadata(
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
    // Facts that cannot be reported now are reported with a later heartbeat.
  }
  return facts
}

/** More than readers of metadata take. */
const maxScopes = 64

/** Declares in the metadata which scopes can be searched, unless `facts` has `scopes` of its own. */
function withScopes(
  facts: DeviceMetadata,
  providers: SearchProviders,
  policy: AgentContext['policy'],
): DeviceMetadata {
  const isOpen = (name: string) => !isResultNote(name) && providers[name] && allowsScope(policy, name)
  const names = Object.keys(providers).filter(isOpen).slice(0, maxScopes)
  return names.length === 0 ? facts : { scopes: names.map((name) => ({ name })), ...facts }
}
