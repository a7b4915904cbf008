import { type Meter, secondsBuckets } from '@homeward/contract/handler'
import type { CloudEventBus } from '../context/cloud-events.ts'

/** What subjects of a cloud tell its meter. */
export interface CloudMeters {
  /** Bytes of a file that became a request's. */
  uploaded(bytes: number): void
  /** Signals of other processes were lost: everything is looked up again. */
  signalsMissed(): void
  /** Takes a fact of the cloud. */
  note: CloudEventBus['emit']
}

const none: CloudMeters = { uploaded() {}, signalsMissed() {}, note() {} }

/**
 * Makes the instruments that count.
 *
 * @param meter Undefined for a cloud that does not measure.
 */
export function createCloudMeters(meter: Meter | undefined, now: () => number): CloudMeters {
  if (!meter) return none
  const created = meter.createCounter('homeward.searches.created', {
    description: 'Searches that were created.',
    unit: '{search}',
  })
  const searches = meter.createCounter('homeward.searches.settled', {
    description: 'Searches that ended, by status and outcome.',
    unit: '{search}',
  })
  const wait = meter.createHistogram('homeward.searches.wait', {
    description:
      'Time from the creation of a search to its end, of those that this process created and settled.',
    unit: 's',
    advice: { explicitBucketBoundaries: [...secondsBuckets, 3600, 86_400] },
  })
  const uploads = meter.createCounter('homeward.uploads.settled', {
    description: 'Upload requests that ended, by status and outcome.',
    unit: '{upload}',
  })
  const bytes = meter.createCounter('homeward.uploads.bytes', {
    description: 'Bytes of uploaded files.',
    unit: 'By',
  })
  const missed = meter.createCounter('homeward.signals.missed', {
    description: 'Times that signals of other processes were lost.',
    unit: '{time}',
  })
  const waits = createWaits(now)
  return {
    uploaded: (size) => bytes.add(size),
    signalsMissed: () => missed.add(1),
    note(name, ...[event]) {
      if (name === 'search:created' && 'searchId' in event) {
        created.add(1)
        waits.begin(event.searchId)
      }
      if (name === 'search:settled' && 'searchId' in event && 'status' in event) {
        searches.add(1, { status: event.status, outcome: event.outcome })
        const seconds = waits.end(event.searchId)
        if (seconds !== undefined) wait.record(seconds)
      }
      if (name === 'upload:settled' && 'requestId' in event && 'status' in event)
        uploads.add(1, { status: event.status, outcome: event.outcome })
    },
  }
}

/** What a cloud holds in memory, as far as it is measured. */
interface Observed {
  readonly offlineWatch: { online(): number }
  readonly polls: { count(): number }
  readonly heartbeats: { count(): number }
  readonly keys: { readonly counts: { readonly hits: number; readonly misses: number } }
}

/** Makes the instruments that look at what this process holds in memory. No one asks the store. */
export function observeCloud(meter: Meter, { offlineWatch, polls, heartbeats, keys }: Observed): void {
  const gauge = (name: string, unit: string, description: string, read: () => number) =>
    meter.createObservableGauge(name, { description, unit }).addCallback((result) => result.observe(read()))
  gauge(
    'homeward.devices.online',
    '{device}',
    'Devices whose last heartbeat to this process lies within the online window.',
    offlineWatch.online,
  )
  gauge('homeward.polls.held', '{poll}', 'Long polls that this process holds.', polls.count)
  gauge(
    'homeward.heartbeats.waiting',
    '{device}',
    'Devices whose last heartbeat is not stored yet.',
    heartbeats.count,
  )
  meter
    .createObservableCounter('homeward.key_cache.lookups', {
      description: 'Look-ups of API keys in memory; a miss reads the store.',
      unit: '{lookup}',
    })
    .addCallback((result) => {
      result.observe(keys.counts.hits, { hit: 'true' })
      result.observe(keys.counts.misses, { hit: 'false' })
    })
}

/** Waits that one process remembers. At the limit the oldest is forgotten. */
const maxRemembered = 100_000

/** How long things take that begin and end in this process. */
interface Waits {
  begin(id: string): void
  /** @returns seconds since its beginning; undefined if it is not known. */
  end(id: string): number | undefined
}

/** Remembers beginnings by id, at most 100,000 of them. */
function createWaits(now: () => number): Waits {
  const beganAt = new Map<string, number>()
  return {
    begin(id) {
      if (beganAt.size >= maxRemembered) beganAt.delete(beganAt.keys().next().value!)
      beganAt.set(id, now())
    },
    end(id) {
      const atMs = beganAt.get(id)
      if (atMs === undefined) return undefined
      beganAt.delete(id)
      return Math.max(0, now() - atMs) / 1000
    },
  }
}
