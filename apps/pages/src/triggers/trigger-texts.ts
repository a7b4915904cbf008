import type { Trigger, TriggerOutcome, TriggerVerification } from '@homeward/contract/agent-platform'
import type { StatusTone } from '../components/states/status-badge.tsx'

/** How calls of a trigger prove where they come from, in words. */
export const verificationNames: Readonly<Record<TriggerVerification, string>> = {
  standard: 'A signature (Standard Webhooks)',
  github: 'A signature of GitHub',
  stripe: 'A signature of Stripe',
  token: 'The secret itself, in the header Authorization',
}

/** The result of a call, in words. */
export const outcomes: Readonly<
  Record<TriggerOutcome, { readonly label: string; readonly tone: StatusTone }>
> = {
  started: { label: 'Started a task', tone: 'good' },
  signalled: { label: 'Sent the event', tone: 'good' },
  ignored: { label: 'Ignored', tone: 'neutral' },
  duplicate: { label: 'Repeated call', tone: 'neutral' },
  refused: { label: 'Rejected', tone: 'bad' },
}

/** Whether a trigger starts an agent, a graph, or sends an event. */
export function targetOf({ agent_id, graph_id, event = '' }: Trigger) {
  if (agent_id !== undefined) return { kind: 'agent', id: agent_id } as const
  return graph_id === undefined
    ? ({ kind: 'event', id: event } as const)
    : ({ kind: 'graph', id: graph_id } as const)
}
