import type { Run, RunStep, Undo, UndoStep } from '@homeward/contract/agent-platform'
import { Link } from 'react-aria-components'
import { ApprovalView } from '../chat/approval-view.tsx'
import { usePlatformQuery } from '../api/platform.ts'
import '../components/layout/bare-list.css'
import { Card } from '../components/layout/card.tsx'
import { StatusBadge, type StatusTone } from '../components/states/status-badge.tsx'
import './runs.css'

/** Built-in tools that change nothing outside of a run. */
const harmless: readonly string[] = [
  'time',
  'memory_search',
  'list_files',
  'read_file',
  'read_skill',
  'web_fetch',
  'ask_user',
  'search_documents',
]

/** The calls of a run that may have changed something, oldest first. None while it works or waits, and of an undo. */
export function effectsOf({ status, source, result }: Run): readonly RunStep[] {
  if (status === 'running' || status === 'waiting' || source === 'undo') return []
  if (result === undefined || !('turns' in result)) return []
  return result.steps.filter((step): step is RunStep => 'args' in step && !harmless.includes(step.tool))
}

const pollMs = 1000
const isOpen = ({ status }: UndoStep) => status === 'pending' || status === 'waiting'

/** The result of undoing a run, if somebody asked for that. */
export function UndoCard({ run }: { readonly run: Run }) {
  const undo = usePlatformQuery(
    'getRunUndo',
    { params: { id: run.id } },
    {
      enabled: effectsOf(run).length > 0,
      refetchInterval: (reply) => reply?.undo.steps.some(isOpen) === true && pollMs,
    },
  ).data?.undo
  return undo ? <UndoSteps undo={undo} /> : null
}

const outcomes: Readonly<Record<UndoStep['status'], { readonly label: string; readonly tone: StatusTone }>> =
  {
    pending: { label: 'Not yet', tone: 'info' },
    waiting: { label: 'Waits for approval', tone: 'warn' },
    undone: { label: 'Undone', tone: 'good' },
    cannot_undo: { label: 'Cannot be undone', tone: 'neutral' },
    failed: { label: 'Failed', tone: 'bad' },
  }

function UndoSteps({ undo: { id, steps } }: { readonly undo: Undo }) {
  const count = steps.filter(({ status }) => status === 'undone').length
  const isWaiting = steps.some(({ status }) => status === 'waiting')
  const run = usePlatformQuery('getRun', { params: { id } }, { enabled: isWaiting }).data?.run
  const asked = isWaiting ? run?.approvals.filter(({ status }) => status === 'pending') : []
  return (
    <Card title="Undo" actions={<Link href={`/runs/${encodeURIComponent(id)}`}>Run of the undo</Link>}>
      <p role="status" className="muted small">
        {count} of {steps.length} {steps.length === 1 ? 'call' : 'calls'} undone
      </p>
      <ul className="bare-list">
        {steps.map(({ step, tool, status, reason }) => (
          <li key={step}>
            <StatusBadge status={status} tone={outcomes[status].tone}>
              {outcomes[status].label}
            </StatusBadge>
            <strong className="foreign">{tool}</strong>
            {reason !== undefined && <span className="muted foreign">{reason}</span>}
          </li>
        ))}
      </ul>
      {asked?.map(({ id: approvalId, run_id, tool, args }) => (
        <ApprovalView
          key={approvalId}
          part={{ kind: 'approval', id: approvalId, runId: run_id, tool, args }}
        />
      ))}
    </Card>
  )
}
