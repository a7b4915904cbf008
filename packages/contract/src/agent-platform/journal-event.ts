import * as z from 'zod/mini'
import { JsonObject } from '../json-value.ts'

/** What the journal holds, by kind. */
export const journalEventTypes = [
  'task.created',
  'task.started',
  'task.completed',
  'task.failed',
  'agent.started',
  'agent.completed',
  'model.completed',
  'graph.started',
  'graph.completed',
  'tool.called',
  'tool.completed',
  'approval.requested',
  'approval.resolved',
  'wait.opened',
  'wait.settled',
  'schedule.fired',
  'schedule.missed',
  'channel.message',
  'channel.reply',
  'channel.failed',
  'channel.sender',
  'skill.changed',
] as const
/** Kind of a journal event. */
export type JournalEventType = (typeof journalEventTypes)[number]

/** A row of the journal. `seq` grows by the order of writing; secrets are not in `data`. */
export const JournalEvent = z.object({
  seq: z.int(),
  type: z.string(),
  timestamp: z.string(),
  run_id: z.optional(z.string()),
  data: JsonObject,
})
export type JournalEvent = z.infer<typeof JournalEvent>
