import type { Kysely } from 'kysely'
import { buildOnce, all, change, each, first, emit, compileStatement } from '@homeward/kit/sql'
import type {
  ChannelDecision,
  Delivery,
  DeliveryClaim,
  DeliveryWrite,
  StoredChannelMessage,
  NewChannelMessage,
} from '../../ports/channel-store.ts'
import type { ConversationAppend } from '../../ports/conversation-store.ts'
import { RuntimeError } from '../../../ports/runtime-error.ts'
import type { Lease } from '../../ports/lease.ts'
import { toClaimed, toResolved, toWritten } from './channel-changes.ts'
import { toChannelRowChange, toOutPart, toPartRow, toStoredChannelMessage } from './channel-row.ts'
import {
  type ChannelMessageRow,
  channelRowsAtOnce,
  createDoneStatements,
  createMessageStatements,
  createPartStatements,
  createSourceStatements,
} from './channel-statements.ts'
import type { ConversationPlans } from '../conversations/conversation-plans.ts'
import type { FilePlans } from '../files/file-plans.ts'
import type { JournalPlans } from '../journal/journal-plans.ts'
import type { Plan } from '../plan.ts'
import type { RuntimeTables } from '../schema.ts'
import type { InputPlans } from '../runs/input-plans.ts'
import type { WaitPlans } from '../runs/wait-plans.ts'
import type { TaskPlans } from '../tasks/task-plans.ts'
import { createAcceptPlans } from './accept-plans.ts'
import { createNoticePlans } from './notice-plans.ts'
import { createChannelReads } from './channel-reads.ts'
import { createChatPlans } from './chat-plans.ts'
import { createSendPlans } from './message-plans.ts'
import { createRoutePlans } from './route-plans.ts'
import type { MemoryMoves } from './link-plans.ts'
import { createSenderPlans } from './sender-plans.ts'
import type { LoadedInput } from '../../ports/channel-input.ts'
import { fromJson } from '../json.ts'

type Parts = MemoryMoves &
  Pick<FilePlans, 'saveFiles' | 'deleteFilesOf'> &
  Pick<JournalPlans, 'addEvents'> &
  Pick<TaskPlans, 'addTask' | 'cancelTask' | 'changeTaskInput' | 'findTask'> &
  Pick<ConversationPlans, 'appendMessages'> &
  Pick<WaitPlans, 'settleWait'> &
  Pick<InputPlans, 'insertRunInput' | 'canSteer'>

/** The verbs of `ChannelStore` as plans. */
export function createChannelPlans(db: Kysely<RuntimeTables>, parts: Parts) {
  const reads = createChannelReads(db)
  return {
    ...createAcceptPlans(db, parts),
    ...createSendPlans(db, { ...reads, ...parts }),
    ...createSenderPlans(db, parts),
    ...createChatPlans(db, parts),
    ...createRoutePlans(db),
    ...createDeliveryPlans(db, parts),
    ...createLoadedInputPlans(db, parts),
    ...reads,
    ...createChannelPollPlans(db),
    ...createNoticePlans(db),
  }
}

/** See {@link createChannelPlans}. */
export type ChannelPlans = ReturnType<typeof createChannelPlans>

function createDeliveryPlans(db: Kysely<RuntimeTables>, given: Parts) {
  const { findTask, addEvents, deleteFilesOf, appendMessages } = given
  const messages = buildOnce(db, createMessageStatements)
  const parts = buildOnce(db, createPartStatements)
  const done = buildOnce(db, createDoneStatements)

  function* load(row: ChannelMessageRow): Plan<StoredChannelMessage> {
    const rows = yield* all(parts.list, { seq: row.seq })
    return toStoredChannelMessage(row, rows.map(toOutPart))
  }

  /** What belongs to somebody else's conversation by then is sent all the same. */
  function* say(said: ConversationAppend): Plan<void> {
    try {
      yield* appendMessages(said)
    } catch (error) {
      if (!RuntimeError.is(error) || error.code !== 'not_found') throw error
    }
  }

  return {
    *claimDeliveries({ lease, now, channels }: DeliveryClaim): Plan<Delivery[]> {
      const deliveries: Delivery[] = []
      for (const { channel, limit } of channels) {
        const rows = yield* all(messages.listReady, { channel, now })
        for (const row of rows.slice(0, limit)) {
          const message = toClaimed(yield* load(row), lease, now)
          yield* change(messages.change, toChannelRowChange(row.seq, message))
          const { taskId } = message
          deliveries.push({ message, task: taskId === undefined ? undefined : yield* findTask(taskId) })
        }
      }
      return deliveries
    },

    *renewDeliveries({ owner, until }: Lease, ids: readonly string[]): Plan<readonly string[]> {
      if (ids.length === 0) return []
      const rows = yield* each(
        messages.renew,
        ids.map((id) => ({ id, owner, until })),
      )
      return rows.map(({ id }) => id)
    },

    *saveDelivery(write: DeliveryWrite): Plan<boolean> {
      const row = yield* first(messages.find, { id: write.id })
      if (row === undefined || row.lease_owner !== write.owner) return false
      const before = yield* load(row)
      const after = toWritten(before, write)
      if (before.parts.length === 0 && after.parts.length > 0) {
        if (write.said) yield* say(write.said)
        yield* each(
          parts.insert,
          after.parts.map((part, number) => toPartRow(row.seq, number, part)),
        )
      } else {
        const changed = [...new Set((write.parts ?? []).map(({ index }) => index))]
        const rows = changed.flatMap((number) => {
          const part = after.parts[number]
          return part === undefined ? [] : [toPartRow(row.seq, number, part)]
        })
        if (rows.length > 0) yield* each(parts.change, rows)
      }
      yield* change(messages.change, toChannelRowChange(row.seq, after))
      yield* addEvents(write.journal)
      return true
    },

    *resolveChannelMessage(decision: ChannelDecision): Plan<StoredChannelMessage | undefined> {
      const row = yield* first(messages.find, { id: decision.id })
      if (row === undefined) return undefined
      const resolved = toResolved(yield* load(row), decision)
      if (resolved === undefined) return undefined
      yield* change(messages.change, toChannelRowChange(row.seq, resolved))
      if (decision.decision === 'resend') yield* change(parts.reset, { seq: row.seq })
      yield* emit({ topic: 'task' })
      return resolved
    },

    /** Removes messages that were done with before a time. @returns whether there may be more. */
    *pruneChannelMessages(before: string): Plan<boolean> {
      const rows = yield* all(done.findDone, { before })
      if (rows.length === 0) return false
      yield* each(done.deleteParts, rows)
      yield* each(done.delete, rows)
      yield* deleteFilesOf(rows.map(({ id }) => ({ kind: 'message', id })))
      return rows.length === channelRowsAtOnce
    },
  }
}

/** The verbs of `ChannelStore` on asking for messages as plans. */
function createChannelPollPlans(db: Kysely<RuntimeTables>) {
  const sources = buildOnce(db, createSourceStatements)
  return {
    *claimPolling(
      source: string,
      { owner, until }: Lease,
      now: string,
    ): Plan<{ readonly offset?: number } | undefined> {
      const poll = yield* first(sources.findPoll, { source })
      const isTaken =
        poll?.lease_owner !== undefined && poll.lease_owner !== null && poll.lease_owner !== owner
      if (isTaken && (poll.lease_until ?? '') > now) return undefined
      yield* change(sources.leasePoll, { source, owner, until })
      const offset = poll?.next_offset ?? undefined
      return offset === undefined ? {} : { offset }
    },

    *releasePolling(source: string, owner: string): Plan<void> {
      yield* change(sources.releasePoll, { source, owner })
    },
  }
}

/** The verb of `ChannelStore` on files that were loaded as a plan. */
function createLoadedInputPlans(
  db: Kysely<RuntimeTables>,
  { changeTaskInput }: Pick<TaskPlans, 'changeTaskInput'>,
) {
  const messages = { ...buildOnce(db, createMessageStatements), ...buildOnce(db, createInputStatements) }
  return {
    *saveLoadedInput({ messageId, taskId, owner, text, input, files }: LoadedInput): Plan<boolean> {
      const row = yield* first(messages.find, { id: messageId })
      if (row === undefined || row.task_id !== taskId) return false
      if (!(yield* changeTaskInput(taskId, owner, { input, files }))) return false
      const { files: _loaded, ...message } = fromJson<NewChannelMessage>(row.message)
      yield* change(messages.setMessage, { id: messageId, message: JSON.stringify({ ...message, text }) })
      return true
    },
  }
}

function createInputStatements(db: Kysely<RuntimeTables>) {
  return {
    setMessage: compileStatement<{ id: string; message: string }, unknown>('write', ({ id, message }) =>
      db.updateTable('channel_messages').set({ message }).where('id', '=', id),
    ),
  }
}
