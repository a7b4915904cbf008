import type { CloudServices } from './create-context.ts'

/**
 * Acts on what other processes on the same storage change: held polls there hear of new work, keys that ended there end
 * here, groups that are begun there are worked on here too, and streams of events continue with theirs. Gives the call
 * that ends it.
 */
export function followChanges({
  meters,
  store,
  polls,
  keys,
  tokens,
  groupWork,
  eventStreams,
}: Pick<
  CloudServices,
  'meters' | 'store' | 'polls' | 'keys' | 'tokens' | 'groupWork' | 'eventStreams'
>): () => void {
  const end = store.subscribe?.((signal) => {
    eventStreams.hear(signal)
    if (signal.topic === 'work') polls.announce(signal.deviceIds)
    else if (signal.topic === 'keys') {
      keys.forget(signal.hashes)
      tokens.forget(signal.hashes)
    } else if (signal.topic === 'tasks') groupWork.wake()
    else if (signal.topic === 'missed') {
      meters.signalsMissed()
      groupWork.wake()
      tokens.forgetAll()
      keys.forgetAll()
      polls.announceAll()
    }
  })
  return () => end?.()
}
