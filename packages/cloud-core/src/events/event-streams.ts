import type { DeviceCloudEventName } from '@homeward/contract/device-cloud'
import { toEventStream, watchAccess, type Timers } from '@homeward/kit'
import { rateLimited, type PlainReply, type RequestView } from '@homeward/contract/handler'
import type { DeviceCloudEventMap } from '../context/cloud-events.ts'
import { toEventReply } from '../context/event-reply.ts'
import type { CloudSignal, StreamedEvent } from '../ports/cloud-signal.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import { createEventFeed, type EventFeed, type ShowsEvent } from './event-feed.ts'

/** Streams of one owner at the same time, in one process. */
const maxStreams = 20
/** Owners whose events one process follows. */
const maxFeeds = 10_000
/** A stream ends after this time, so that its caller is authenticated again. */
const longestStreamMs = 5 * 60 * 1000
const keepaliveMs = 15_000
/** How long a feed stays after its last stream, for readers that return. */
const keepFeedMs = 2 * 60 * 1000
/** How often other processes are told whose events are followed here, and how long they believe it. */
const followEveryMs = 30_000
const followedMs = 100_000

/** Streams of events for users (C34). */
export interface EventStreams {
  /** Takes an event of this process. */
  publish<Name extends keyof DeviceCloudEventMap>(
    name: Name,
    event: Parameters<DeviceCloudEventMap[Name]>[0],
  ): void
  /** Takes a signal of another process. */
  hear(signal: CloudSignal): void
  /**
   * Answers with the events of an owner.
   *
   * @param mayContinue Whether the caller may still read; asked every 10 seconds.
   * @param shows Whether an event is for the caller. @default all are
   * @throws {HttpError} 429 with too many streams
   */
  open(
    owner: string,
    request: RequestView,
    mayContinue?: () => Promise<boolean>,
    shows?: ShowsEvent,
  ): PlainReply
  /** Ends all streams. */
  close(): void
}

/** What {@link createEventStreams} works with. */
interface EventStreamsSetup {
  readonly store: Pick<CloudStore, 'publish'>
  readonly now: () => number
  readonly timers: Timers
  /** Gives a name that no feed had before. */
  readonly createName: () => string
}

interface OwnedFeed {
  readonly feed: EventFeed
  /** When the last stream ended; undefined while there is one. */
  idleSinceMs: number | undefined
}

/**
 * Streams what happens to the devices, searches and upload requests of an owner, whichever process it happens in.
 *
 * A process buffers events only of owners who follow them, and passes them on only to processes that asked for them:
 * while nobody follows, events cost nothing.
 */
export function createEventStreams({ store, now, timers, createName }: EventStreamsSetup): EventStreams {
  const feeds = new Map<string, OwnedFeed>()
  /** Owners whose events other processes follow, and until when. */
  const followedElsewhere = new Map<string, number>()
  let timer: unknown
  let isClosed = false

  function schedule(): void {
    if (timer !== undefined || isClosed || feeds.size === 0) return
    timer = timers.setTimeout(() => {
      timer = undefined
      for (const [owner, { idleSinceMs }] of feeds)
        if (idleSinceMs !== undefined && Math.abs(now() - idleSinceMs) > keepFeedMs) feeds.delete(owner)
      tellFollowed([...feeds.keys()])
      schedule()
    }, followEveryMs)
  }

  function tellFollowed(owners: readonly string[]): void {
    if (owners.length > 0) store.publish?.([{ topic: 'follow', owners }])
  }

  function feedOf(owner: string): OwnedFeed {
    const known = feeds.get(owner)
    if (known) return known
    if (feeds.size >= maxFeeds) throw tooMany('the server streams events of too many users.')
    const owned: OwnedFeed = { feed: createEventFeed(createName), idleSinceMs: now() }
    feeds.set(owner, owned)
    tellFollowed([owner])
    schedule()
    return owned
  }

  function deliver({ owner, name, data }: StreamedEvent): void {
    feeds.get(owner)?.feed.add({ name, data })
  }

  function isFollowedElsewhere(owner: string): boolean {
    const untilMs = followedElsewhere.get(owner)
    if (untilMs === undefined) return false
    if (now() < untilMs) return true
    followedElsewhere.delete(owner)
    return false
  }

  return {
    publish(name, event) {
      const streamed = toStreamedEvent(name, event)
      if (streamed === undefined) return
      deliver(streamed)
      if (isFollowedElsewhere(streamed.owner)) store.publish?.([{ topic: 'events', events: [streamed] }])
    },
    hear(signal) {
      if (signal.topic === 'events') for (const event of signal.events) deliver(event)
      if (signal.topic === 'missed') for (const { feed } of feeds.values()) feed.reset()
      if (signal.topic === 'reset') for (const owner of signal.owners) feeds.get(owner)?.feed.reset()
      if (signal.topic !== 'follow') return
      for (const owner of signal.owners) {
        if (followedElsewhere.size >= maxFeeds && !followedElsewhere.has(owner)) break
        followedElsewhere.set(owner, now() + followedMs)
      }
    },
    open(owner, request, mayContinue, shows) {
      const owned = feedOf(owner)
      if (owned.feed.readerCount >= maxStreams)
        throw tooMany(`a user can open at most ${maxStreams} streams.`)
      owned.idleSinceMs = undefined
      const ending = new AbortController()
      const onEnd = () => {
        timers.clearTimeout(timeout)
        stopWatching?.()
        if (owned.feed.readerCount === 0) owned.idleSinceMs = now()
        ending.abort(new Error('The stream ended'))
      }
      const reader = owned.feed.open(request.header('last-event-id'), onEnd, shows)
      const timeout = timers.setTimeout(reader.end, longestStreamMs)
      const stopWatching = mayContinue && watchAccess(mayContinue, reader.end, timers)
      const signal = AbortSignal.any([request.signal, ending.signal])
      const source = (left: AbortSignal) => {
        left.addEventListener('abort', reader.end, { once: true })
        return reader.read()
      }
      return toEventReply(toEventStream(source, { keepaliveMs, signal }))
    },
    close() {
      isClosed = true
      timers.clearTimeout(timer)
      for (const { feed } of feeds.values()) feed.close()
    },
  }
}

const tooMany = (reason: string) =>
  rateLimited(`Opening a stream of events failed: ${reason} Close another stream first.`, 10_000)

/** Names of the events that streams write. */
const names: { readonly [Name in keyof DeviceCloudEventMap]?: DeviceCloudEventName } = {
  'device:registered': 'device.registered',
  'device:online': 'device.online',
  'device:offline': 'device.offline',
  'device:deleted': 'device.deleted',
  'fleet:offline-share': 'fleet.offline_share',
  'search:settled': 'search.settled',
  'group:settled': 'group.settled',
  'upload:settled': 'upload.settled',
}

/** The event for streams; undefined for events that streams do not write. */
function toStreamedEvent(
  name: keyof DeviceCloudEventMap,
  event: Parameters<DeviceCloudEventMap[keyof DeviceCloudEventMap]>[0],
): StreamedEvent | undefined {
  const streamed = names[name]
  if (streamed === undefined) return undefined
  const { userId, ...data } = event
  return { owner: userId, name: streamed, data }
}
