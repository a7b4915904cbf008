import { numberPositionOf, toPage } from '../paging/cursor.ts'
import type {
  AcceptanceBatch,
  ChannelDecision,
  ChannelMessageFilter,
  Delivery,
  DeliveryClaim,
  DeliveryWrite,
  MessageAcceptance,
  StoredChannelMessage,
} from '../store/ports/channel-store.ts'
import type { Lease } from '../store/ports/lease.ts'
import type { Page, PageRequest } from '../store/ports/page.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import {
  isOpenMessage,
  toClaimed,
  toNewChannelMessage,
  toResolved,
  toWritten,
} from '../store/sql/channels/channel-changes.ts'
import type { ChannelRecord } from './channel-records.ts'
import { appendEvents } from './journal-verbs.ts'
import type { Tables } from './tables.ts'
import { tell, toCopy } from './tables.ts'
import { findTask, insertTask } from './task-verbs.ts'

/** {@link ChannelStore.acceptMessages}, in memory. */
export function acceptMessages(
  tables: Tables,
  { now, acceptances, polled }: AcceptanceBatch,
): readonly boolean[] | undefined {
  const { channels } = tables
  assertNew(tables, acceptances, now)
  if (polled !== undefined) {
    const { source, owner, nextOffset: offset } = polled
    const poll = channels.polls.get(source)
    if (poll?.lease?.owner !== owner) return undefined
    channels.polls.set(source, { ...poll, offset })
  }
  for (const [key, until] of channels.keys) if (until <= now) channels.keys.delete(key)
  return acceptances.map((acceptance) => accept(tables, acceptance))
}

/** Nothing is kept when a part of it cannot be. */
function assertNew(
  { channels, tasks }: Tables,
  acceptances: readonly MessageAcceptance[],
  now: string,
): void {
  const taken = { keys: new Set<string>(), messages: new Set<string>(), tasks: new Set<string>() }
  const isTaken = (key: string) => taken.keys.has(key) || (channels.keys.get(key) ?? '') > now
  for (const { keys, entry } of acceptances) {
    if (keys.some(isTaken)) continue
    for (const key of keys) taken.keys.add(key)
    if (entry === undefined) continue
    const { message, task } = entry
    const isMessageNew = !channels.messages.has(message.id) && !taken.messages.has(message.id)
    if (!isMessageNew || tasks.byId.has(task.id) || taken.tasks.has(task.id)) {
      throw new RuntimeError(
        'conflict',
        'Keeping a message failed: its id is in use already. Make a new one.',
      )
    }
    taken.messages.add(message.id)
    taken.tasks.add(task.id)
  }
}

function accept(tables: Tables, { keys, keysUntil, entry, journal }: MessageAcceptance): boolean {
  const { channels } = tables
  if (keys.some((key) => channels.keys.has(key))) return false
  for (const key of keys) channels.keys.set(key, keysUntil)
  if (entry !== undefined) {
    insertTask(tables, entry.task, [])
    const message = toNewChannelMessage(toCopy(entry.message))
    channels.messages.set(message.id, { seq: (channels.lastSeq += 1), message })
    channels.open.add(message.id)
  }
  appendEvents(tables, journal)
  return true
}

/** {@link ChannelStore.claimDeliveries}, in memory. */
export function claimDeliveries(tables: Tables, { lease, now, channels }: DeliveryClaim): Delivery[] {
  return channels.flatMap(({ channel, limit }) => {
    const ready = listReady(tables, channel, now).slice(0, limit)
    return ready.map((record) => {
      record.message = toClaimed(record.message, lease, now)
      return { message: toCopy(record.message), task: findTask(tables, record.message.taskId) }
    })
  })
}

function listReady(tables: Tables, channel: string, now: string): ChannelRecord[] {
  const ready: ChannelRecord[] = []
  const begun = new Set<string>()
  for (const record of openOf(tables)) {
    const { message } = record
    const isFirst = !begun.has(message.conversationId)
    begun.add(message.conversationId)
    if (message.channel !== channel || !isFirst) continue
    if ((message.nextAt ?? '') > now || (message.lease?.until ?? '') > now) continue
    const task = tables.tasks.byId.get(message.taskId)
    if (task === undefined || task.status === 'completed' || task.status === 'failed') ready.push(record)
  }
  return ready
}

/** In the order in which they came: one that is sent again goes first. */
function openOf({ channels }: Tables): ChannelRecord[] {
  return [...channels.open].flatMap((id) => channels.messages.get(id) ?? []).toSorted((a, b) => a.seq - b.seq)
}

/** {@link ChannelStore.renewDeliveries}, in memory. */
export function renewDeliveries(
  { channels }: Tables,
  lease: Lease,
  ids: readonly string[],
): readonly string[] {
  return ids.filter((id) => {
    const record = channels.messages.get(id)
    if (record?.message.lease?.owner !== lease.owner) return false
    record.message = { ...record.message, lease }
    return true
  })
}

/** {@link ChannelStore.saveDelivery}, in memory. */
export function saveDelivery(tables: Tables, write: DeliveryWrite): boolean {
  const record = tables.channels.messages.get(write.id)
  if (record?.message.lease?.owner !== write.owner) return false
  replace(tables, record, toWritten(record.message, toCopy(write)))
  appendEvents(tables, write.journal)
  return true
}

/** {@link ChannelStore.resolveChannelMessage}, in memory. */
export function resolveChannelMessage(
  tables: Tables,
  decision: ChannelDecision,
): StoredChannelMessage | undefined {
  const record = tables.channels.messages.get(decision.id)
  const resolved = record && toResolved(record.message, decision)
  if (record === undefined || resolved === undefined) return undefined
  replace(tables, record, resolved)
  tell(tables, { topic: 'task' })
  return toCopy(resolved)
}

/** {@link ChannelStore.findChannelMessage}, in memory. */
export function findChannelMessage({ channels }: Tables, id: string): StoredChannelMessage | undefined {
  const record = channels.messages.get(id)
  return record && toCopy(record.message)
}

/** {@link ChannelStore.listChannelMessages}, in memory. */
export function listChannelMessages(
  { channels }: Tables,
  { channel, conversationId, status }: ChannelMessageFilter,
  page: PageRequest,
): Page<StoredChannelMessage> {
  const before = numberPositionOf(page) ?? Number.MAX_SAFE_INTEGER
  const found = [...channels.messages.values()]
    .filter(
      ({ seq, message }) =>
        seq < before &&
        (channel === undefined || message.channel === channel) &&
        (conversationId === undefined || message.conversationId === conversationId) &&
        (status === undefined || message.status === status),
    )
    .toReversed()
    .slice(0, page.limit + 1)
  return toPage(
    found,
    page.limit,
    ({ message }) => toCopy(message),
    ({ seq }) => [seq],
  )
}

/** {@link ChannelStore.countChannelMessages}, in memory. */
export function countChannelMessages(
  { channels }: Tables,
  channel: string,
): { readonly waiting: number; readonly failed: number; readonly uncertain: number } {
  const all = [...channels.messages.values()].filter(({ message }) => message.channel === channel)
  const count = (test: (message: StoredChannelMessage) => boolean) =>
    all.filter(({ message }) => test(message)).length
  return {
    waiting: count(isOpenMessage),
    failed: count(({ status }) => status === 'failed'),
    uncertain: count(({ status }) => status === 'uncertain'),
  }
}

/** {@link ChannelStore.claimPolling}, in memory. */
export function claimPolling(
  { channels }: Tables,
  source: string,
  lease: Lease,
  now: string,
): { readonly offset?: number } | undefined {
  const poll = channels.polls.get(source) ?? {}
  if (poll.lease !== undefined && poll.lease.owner !== lease.owner && poll.lease.until > now) return undefined
  channels.polls.set(source, { ...poll, lease })
  return poll.offset === undefined ? {} : { offset: poll.offset }
}

/** {@link ChannelStore.releasePolling}, in memory. */
export function releasePolling({ channels }: Tables, source: string, owner: string): void {
  const poll = channels.polls.get(source)
  if (poll?.lease?.owner !== owner) return
  const { lease: _, ...rest } = poll
  channels.polls.set(source, rest)
}

/** Removes messages that were done with before a time. */
export function pruneChannelMessages({ channels }: Tables, before: string): void {
  for (const id of channels.done) {
    const record = channels.messages.get(id)
    if (record !== undefined && record.message.updatedAt >= before) continue
    channels.done.delete(id)
    channels.messages.delete(id)
  }
}

function replace({ channels, bounds }: Tables, record: ChannelRecord, message: StoredChannelMessage): void {
  record.message = message
  const { id, status } = message
  if (isOpenMessage(message)) channels.open.add(id)
  else channels.open.delete(id)
  if (status === 'delivered' || status === 'discarded') channels.done.add(id)
  for (const old of channels.done) {
    if (channels.done.size <= bounds.finishedRuns) return
    channels.done.delete(old)
    channels.messages.delete(old)
  }
}
