import type { Agent, Json, WhatIf, WhatIfRun, WhatIfVerdict } from '@homeward/contract/agent-platform'
import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, ProgressBar } from 'react-aria-components'
import { useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { useAgentName } from '../components/agents/agent-filter.tsx'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import '../components/states/progress.css'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge, type StatusTone } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { formatUsd } from '../usage/format-usage.ts'
import { AnswerText } from '../chat/answer-text.tsx'
import { AgentChanges, TextDiff } from './agent-changes.tsx'

const agents = { href: '/agents', label: 'Agents' }
const pollMs = 1000

/** Stored runs beside their results with a changed agent. */
export function WhatIfPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery(
    'getWhatIf',
    { params: { id } },
    { refetchInterval: (reply) => reply?.what_if.status === 'running' && pollMs },
  )
  const whatIf = query.data?.what_if
  const name = useAgentName(whatIf?.agent_id)
  return (
    <>
      <PageHeader
        title={name === undefined ? 'What if' : `What if ${name} were different`}
        back={whatIf && name !== undefined ? { href: `/agents/${whatIf.agent_id}`, label: name } : agents}
        actions={
          whatIf && <LinkButton href={`/agents/${whatIf.agent_id}/what-if`}>Try another change</LinkButton>
        }
      />
      <QueryView query={query} missing={<MissingState kind="comparison" id={id} list={agents} />}>
        {({ what_if }) => <WhatIfView key={id} whatIf={what_if} />}
      </QueryView>
    </>
  )
}

const verdicts: Readonly<Record<WhatIfVerdict, { readonly label: string; readonly tone: StatusTone }>> = {
  same: { label: 'Same', tone: 'good' },
  different: { label: 'Different', tone: 'info' },
  diverged: { label: 'Stopped at a new call', tone: 'warn' },
  failed: { label: 'Failed', tone: 'bad' },
}

const noFilter = { verdict: 'all' }

function WhatIfView({ whatIf }: { readonly whatIf: WhatIf }) {
  const { agent_id: agentId, runs, count, status } = whatIf
  const agent = usePlatformQuery('getAgent', { params: { id: agentId } }).data?.agent
  const stored = usePlatformQuery('listRuns', { query: { agent_id: agentId, limit: '200' } }).data?.runs
  const tasks = new Map(stored?.map((run) => [run.id, run.task]))
  const [{ verdict }, change] = useAddressFilter(noFilter)
  const shown = runs.filter((run) => verdict === noFilter.verdict || run.verdict === verdict)
  return (
    <>
      <Notice>No tool was called. Each call got the result that was recorded in the run.</Notice>
      {status === 'running' && <WhatIfProgress done={runs.length} count={count} />}
      <p role="status" className="visually-hidden">
        {status !== 'running' && `${runs.length} of ${count} runs compared`}
      </p>
      <Card title="What changed" actions={agent && <ApplyChanges agent={agent} whatIf={whatIf} />}>
        {Object.keys(whatIf.changes).length === 0 ? (
          <p className="muted">Nothing: this shows how much the answers of the same agent differ.</p>
        ) : (
          <AgentChanges changes={toShownChanges(whatIf, agent)} />
        )}
      </Card>
      <Totals whatIf={whatIf} />
      {runs.length === 0 && status !== 'running' && (
        <EmptyState title="No run could be played">
          The agent has no run that has ended, or the steps of its runs are deleted.
        </EmptyState>
      )}
      {runs.length > 0 && (
        <FilterBar>
          <SelectField
            label="Show"
            options={[
              { value: noFilter.verdict, label: 'All runs' },
              ...Object.entries(verdicts).map(([value, { label }]) => ({ value, label })),
            ]}
            value={verdict}
            onChange={(value) => change({ verdict: value })}
          />
        </FilterBar>
      )}
      {runs.length > 0 && shown.length === 0 && <p className="muted">No run has this result.</p>}
      <div className="stack" data-gap="small">
        {shown.map((run) => (
          <PlayedRun
            key={run.run_id}
            played={run}
            task={tasks.get(run.run_id)}
            model={whatIf.changes.model}
            isOpen={shown.length === 1}
          />
        ))}
      </div>
    </>
  )
}

/** Against the agent as it is now: after the changes were applied, they are shown alone. */
function toShownChanges({ changes }: WhatIf, agent: Agent | undefined) {
  const now = new Map<string, unknown>(Object.entries(agent ?? {}))
  return Object.entries(changes).map(([field, value]) => {
    const after = (value ?? undefined) as Json | undefined // fields of an agent are JSON
    const before = now.get(field) as Json | undefined // as above
    const differs = JSON.stringify(before) !== JSON.stringify(after)
    return differs ? { field, before, after } : { field, after }
  })
}

function ApplyChanges({ agent, whatIf }: { readonly agent: Agent; readonly whatIf: WhatIf }) {
  const { name = agent.id } = agent
  const apply = usePlatformMutation('updateAgent', {
    invalidates: ['getAgent', 'listAgents', 'listAgentVersions'],
    onSuccess: () => showToast({ title: `${name} changed`, text: 'The change applies to new runs.' }),
  })
  if (whatIf.status === 'running' || !toShownChanges(whatIf, agent).some((each) => 'before' in each))
    return null
  return (
    <ConfirmDialog
      title={`Change ${name} like this?`}
      confirmLabel="Change the agent"
      isDanger={false}
      trigger={<Button icon={<Check aria-hidden />}>Apply to the agent</Button>}
      onConfirm={async () => apply.mutateAsync({ params: { id: agent.id }, body: whatIf.changes })}
    >
      <p>New runs use the change. It makes a new version, so you can go back.</p>
    </ConfirmDialog>
  )
}

function WhatIfProgress({ done, count }: { readonly done: number; readonly count: number }) {
  return (
    <ProgressBar className="progress" aria-label="Runs compared" value={done} maxValue={Math.max(count, 1)}>
      {({ percentage = 0 }) => (
        <>
          <span className="small muted numeric">
            {done} of {count} runs compared
          </span>
          <div className="progress-track">
            <div className="progress-fill" style={{ width: `${percentage}%` }} />
          </div>
        </>
      )}
    </ProgressBar>
  )
}

function Totals({ whatIf: { totals, count } }: { readonly whatIf: WhatIf }) {
  const { same, different, diverged, failed, cost, cost_before: before } = totals
  const parts = [
    ...(same > 0 ? [`${same === count ? '' : `${formatCount(same)} with the `}same answer`] : []),
    ...(different > 0
      ? [`${different === count ? '' : `${formatCount(different)} with a `}different answer`]
      : []),
    ...(diverged > 0 ? [`${diverged} stopped at a new call`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  return (
    <Facts
      facts={[
        ['Runs', `${count === 1 ? '1 run' : `${formatCount(count)} runs`}: ${parts.join(', ')}`],
        ['Cost then', before && formatUsd(before.amount)],
        ['Cost now', cost && formatUsd(cost.amount)],
      ]}
    />
  )
}

interface PlayedRunProps {
  readonly played: WhatIfRun
  /** Undefined for a run that is not among the newest. */
  readonly task: string | undefined
  /** Undefined where it is that of the agent. */
  readonly model: string | undefined
  readonly isOpen: boolean
}

/** A played run: its verdict and its task, and when opened what it was and what it would be. */
function PlayedRun({ played, task, model, isOpen }: PlayedRunProps) {
  const [isExpanded, setIsExpanded] = useState(isOpen)
  const { label, tone } = verdicts[played.verdict]
  const isOlder = task === undefined
  const run = usePlatformQuery('getRun', { params: { id: played.run_id } }, { enabled: isOlder }).data?.run
  return (
    <Card>
      <Disclosure
        isExpanded={isExpanded}
        onExpandedChange={setIsExpanded}
        title={
          <span className="what-if-run">
            <StatusBadge status={played.verdict} tone={tone}>
              {label}
            </StatusBadge>
            <span>{firstWords(task ?? run?.task ?? 'A run of this agent')}</span>
          </span>
        }
      >
        {isExpanded && <Comparison played={played} model={model} />}
      </Disclosure>
    </Card>
  )
}

const longestTask = 120
const firstWords = (task: string) => (task.length > longestTask ? `${task.slice(0, longestTask)} …` : task)

function Comparison({ played, model }: Pick<PlayedRunProps, 'played' | 'model'>) {
  const { run_id: id, reason, verdict, output, output_before: before } = played
  const run = usePlatformQuery('getRun', { params: { id } }).data?.run
  const steps = usePlatformQuery('listRunSteps', { params: { id } }).data?.steps
  const calls = steps?.filter(({ type }) => type === 'tool').map(({ name }) => name)
  return (
    <div className="stack">
      {reason !== undefined && <Notice tone={verdict === 'failed' ? 'bad' : 'warn'}>{reason}</Notice>}
      <div className="then-and-now">
        <Side
          title="Then"
          calls={calls && (calls.length === 0 ? 'none' : calls.join(', '))}
          cost={played.cost_before?.amount}
          model={run?.result && 'model' in run.result ? run.result.model : undefined}
        >
          <AnswerText text={before || 'No output.'} />
        </Side>
        <Side title="Now" calls={describeCalls(played.calls)} cost={played.cost?.amount} model={model}>
          {verdict === 'diverged' || verdict === 'failed' ? (
            <p className="muted">{output === '' ? 'No answer.' : output}</p>
          ) : (
            <AnswerText text={output} />
          )}
        </Side>
      </div>
      {verdict === 'different' && before !== '' && (
        <Disclosure title="Changed words">
          <TextDiff before={before} after={output} />
        </Disclosure>
      )}
      <Link href={`/runs/${encodeURIComponent(id)}`}>Open the run</Link>
    </div>
  )
}

/** `calls` in words, against those of the run. */
export function describeCalls({ added, removed, changed }: WhatIfRun['calls']): string {
  const parts = [
    ...(added > 0 ? [`${added} more`] : []),
    ...(removed > 0 ? [`${removed} fewer`] : []),
    ...(changed > 0 ? [`${changed} with other arguments`] : []),
  ]
  return parts.length === 0 ? 'the same' : parts.join(', ')
}

interface SideProps {
  readonly title: string
  readonly calls: string | undefined
  readonly cost: number | undefined
  readonly model?: string | undefined
  readonly children: ReactNode
}

function Side({ title, calls, cost, model, children }: SideProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children}
      <Facts
        facts={[
          ['Tool calls', calls],
          ['Model', model],
          ['Cost', cost === undefined ? undefined : formatUsd(cost)],
        ]}
      />
    </section>
  )
}
