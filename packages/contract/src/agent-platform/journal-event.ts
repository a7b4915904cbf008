import * as z from 'zod/mini'
import { type Json, JsonObject } from '../json-value.ts'

/** Event types of the journal. */
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

/** An event of the journal. `seq` increases in the order of writing. `data` contains no secrets. */
export const JournalEvent = z.object({
  seq: z.int(),
  type: z.string(),
  timestamp: z.string(),
  run_id: z.optional(z.string()),
  data: JsonObject,
})
export type JournalEvent = z.infer<typeof JournalEvent>

type OfAgent = { agent_id: string }
type OfTask = { task_id: string; agent_id?: string; graph_id?: string }
type OfSchedule = {
  schedule_id?: string
  agent_id?: string
  graph_id?: string
  schedule: string
  timezone: string
  scheduled_for: string
}
/** What a call would do, and whether its run has read content of a stranger. */
type OfEffects = { effects?: 'read' | 'write' | 'external'; tainted?: boolean }

/** Fields of `data` by event type. */
export type JournalEventData = {
  'agent.started': OfAgent & { conversation_id: string; model: string; task?: string; parent_run_id?: string }
  'agent.completed': OfAgent & {
    status: string
    stop_reason: string
    turns: number
    tool_calls: number
    input_tokens: number
    output_tokens: number
    error?: string
  }
  'model.completed': OfAgent & {
    user_id?: string
    model: string
    input_tokens: number
    output_tokens: number
    cached_input_tokens?: number
    cache_write_input_tokens?: number
    reasoning_tokens?: number
    cost_usd?: number
    duration_ms: number
    finish: string
    /** What-if that made the call. The event does not belong to a run. */
    what_if?: string
  }
  'graph.started': { graph_id: string; task: string }
  'graph.completed': { graph_id: string; success: boolean; status: string; error?: string }
  'tool.called': OfAgent & OfEffects & { tool: string; call_id: string; args: Json }
  'tool.completed': OfAgent & {
    tool: string
    call_id: string
    ok: boolean
    error?: string
    duration_ms: number
  }
  'approval.requested': OfAgent & OfEffects & { approval_id: string; tool: string }
  'approval.resolved': OfAgent & { approval_id: string; status: string; decided_by?: string }
  'wait.opened': OfEffects & {
    agent_id?: string
    graph_id?: string
    wait_id: string
    kind: string
    tool?: string
    event?: string
  }
  'wait.settled': {
    agent_id?: string
    graph_id?: string
    wait_id: string
    kind: string
    status: string
    answered_by?: string
  }
  'skill.changed': { skill_id: string; change: 'installed' | 'removed' | 'configured' }
  'task.created': OfTask & {
    schedule_id?: string
    schedule?: string
    scheduled_for?: string
    retry?: boolean
  }
  'task.started': OfTask & { attempt: number }
  'task.completed': OfTask & { attempt: number }
  'task.failed': OfTask & { attempt: number; code: string; message: string; retryable: boolean }
  'schedule.fired': OfSchedule & { task_id: string }
  'schedule.missed': OfSchedule & { reason: string; first?: string; count?: number; more?: boolean }
  'channel.message': {
    channel: string
    message_id: string
    conversation_id: string
    task_id: string
    sender_id: string
  }
  'channel.reply': {
    channel: string
    message_id: string
    conversation_id: string
    task_id: string
    parts: number
    platform_ids: Json
  }
  'channel.failed': {
    channel: string
    message_id?: string
    conversation_id: string
    task_id?: string
    status?: string
    code: string
    message: string
  }
  'channel.sender': { channel: string; sender_id: string; kind?: string; status: string }
}

/**
 * Whether a journal or runtime event has this type. TypeScript then knows the fields of its `data`.
 *
 * @example
 * if (isEvent(event, 'approval.requested')) console.log(event.data.approval_id)
 */
export function isEvent<Event extends { readonly type: string }, Type extends JournalEventType>(
  event: Event,
  type: Type,
): event is Event & { readonly type: Type; readonly data: JournalEventData[Type] } {
  return event.type === type
}
