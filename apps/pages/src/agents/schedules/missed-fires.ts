import type { JournalEvent, JsonObject } from '@homeward/contract/agent-platform'

/** A time of a schedule that made no run. */
export interface MissedFire {
  readonly seq: number
  readonly subject: { readonly kind: 'agent' | 'graph'; readonly id: string }
  /** When it should have been; of several the last. */
  readonly scheduledFor: string
  readonly timezone: string
  readonly count: number
  readonly reason: string
}

const reasons: Readonly<Record<string, string>> = {
  not_running: 'The server was not running',
  overlap: 'The previous run had not ended',
}

/** Reads what the journal tells of a missed time (A9); undefined for an event of another form. */
export function toMissedFire({ seq, type, data }: JournalEvent): MissedFire | undefined {
  const subject = toSubject(data)
  const scheduledFor = data['scheduled_for']
  if (type !== 'schedule.missed' || subject === undefined || typeof scheduledFor !== 'string')
    return undefined
  const { reason, count, timezone } = data
  return {
    seq,
    subject,
    scheduledFor,
    timezone: typeof timezone === 'string' ? timezone : '',
    count: typeof count === 'number' ? count : 1,
    reason: (typeof reason === 'string' && reasons[reason]) || 'Skipped',
  }
}

function toSubject({ agent_id: agentId, graph_id: graphId }: JsonObject): MissedFire['subject'] | undefined {
  if (typeof agentId === 'string') return { kind: 'agent', id: agentId }
  return typeof graphId === 'string' ? { kind: 'graph', id: graphId } : undefined
}
