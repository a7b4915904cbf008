import type { CloudContext } from '../cloud-context.ts'

/**
 * Acts on what other processes on the same storage change: held polls there hear of new work, and keys that ended there
 * end here. Gives the call that ends it.
 */
export function followChanges({
  store,
  polls,
  keys,
}: Pick<CloudContext, 'store' | 'polls' | 'keys'>): () => void {
  const end = store.subscribe?.((signal) => {
    if (signal.topic === 'work') polls.announce(signal.deviceIds)
    else if (signal.topic === 'keys') keys.forget(signal.hashes)
    else {
      keys.forgetAll()
      polls.announceAll()
    }
  })
  return () => end?.()
}
