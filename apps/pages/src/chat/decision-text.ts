import type { Approval } from '@homeward/contract/agent-platform'

/** What was decided about a call, as a sentence. */
export function decisionText({
  status,
  reason,
  edited_args,
  decided_by,
}: Pick<Approval, 'status' | 'reason' | 'edited_args' | 'decided_by'>): string {
  if (decided_by === 'timeout') return 'Nobody decided in time, so it was denied.'
  if (status === 'responded') return 'A person answered in place of the tool.'
  const changed = edited_args ? ' with changed arguments' : ''
  return `A person ${status} it${changed}${reason ? `: ${reason}` : '.'}`
}
