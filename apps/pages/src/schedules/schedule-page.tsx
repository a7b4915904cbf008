import type { ScheduleOccurrence, ScheduleState } from '@homeward/contract/agent-platform'
import { Pause, Play, Trash2 } from 'lucide-react'
import { Link } from 'react-aria-components'
import { useLocation, useParams } from 'wouter'
import { usePlatformMutation, usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Card } from '../components/layout/card.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { AgentName } from '../components/agents/agent-filter.tsx'
import { formatInZone } from '../components/text/format-in-zone.ts'
import { EditSchedule } from './schedule-dialog.tsx'
import { describeCron } from '../components/schedule/rhythm.ts'
import './missed-fires.css'

const back = { href: '/schedules', label: 'Schedules' }

/** One schedule: when it runs, what it has run, and what can be done with it. */
export function SchedulePage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('listSchedules', undefined, { refetchInterval: 30_000 })
  usePlatformQuery('listAgents') // the facts show a name
  const schedule = query.data?.schedules.find((each) => each.id === id)
  return (
    <>
      <PageHeader
        title={schedule?.name ?? 'Schedule'}
        back={back}
        actions={schedule && <Actions schedule={schedule} />}
      />
      <QueryView query={query}>
        {() =>
          schedule ? (
            <div className="stack">
              <ScheduleFacts schedule={schedule} />
              <History id={id} />
            </div>
          ) : (
            <MissingState kind="schedule" id={id} list={back} />
          )
        }
      </QueryView>
    </>
  )
}

function ScheduleFacts({ schedule }: { readonly schedule: ScheduleState }) {
  const { agent_id, graph_id, cron, timezone, input, enabled, next_fire, error } = schedule
  return (
    <Card>
      <Facts
        facts={[
          ['Runs', graph_id ?? <AgentName id={agent_id} />],
          ['Schedule', `${describeCron(cron)} (${timezone})`],
          ['Next time', next_fire === undefined ? 'never' : formatInZone(next_fire, timezone)],
          ['Task', input ?? 'The agent follows its instructions.'],
          ['State', <StatusBadge key="state" status={enabled ? 'on' : 'off'} />],
          ['Error', error],
        ]}
      />
    </Card>
  )
}

function Actions({ schedule }: { readonly schedule: ScheduleState }) {
  const { id, enabled, created_at } = schedule
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const onError = (error: Error) => showToast({ tone: 'bad', ...describeError(error) })
  const run = usePlatformMutation('runSchedule', {
    invalidates: ['listScheduleHistory'],
    onSuccess({ task }) {
      idempotency.done()
      navigate(`/tasks/${encodeURIComponent(task.id)}`)
    },
    onError,
  })
  const change = usePlatformMutation('updateSchedule', { invalidates: ['listSchedules'], onError })
  const remove = usePlatformMutation('deleteSchedule', { invalidates: ['listSchedules'] })

  async function confirm(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    showToast({ title: 'Schedule deleted' })
    navigate('/schedules')
  }

  // The field of an agent or a graph is changed there.
  const isOwn = created_at !== undefined
  return (
    <>
      <Button
        variant="primary"
        icon={<Play aria-hidden />}
        isPending={run.isPending}
        onPress={() => run.mutate({ params: { id }, headers: idempotency.headersFor(id) })}
      >
        Run now
      </Button>
      {isOwn && (
        <>
          <EditSchedule schedule={schedule} />
          <Button
            icon={enabled ? <Pause aria-hidden /> : <Play aria-hidden />}
            isPending={change.isPending}
            onPress={() => change.mutate({ params: { id }, body: { enabled: !enabled } })}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <ActionMenu
            actions={[
              {
                label: 'Delete schedule',
                icon: <Trash2 aria-hidden />,
                confirm: {
                  title: 'Delete this schedule?',
                  text: 'No further tasks are created. Tasks that it created stay.',
                  onConfirm: confirm,
                },
              },
            ]}
          />
        </>
      )}
    </>
  )
}

const occurrencesOf = ({ history }: { readonly history: readonly ScheduleOccurrence[] }) => history

function History({ id }: { readonly id: string }) {
  const input = { params: { id }, query: { limit: '50' } }
  const query = usePlatformPages('listScheduleHistory', input, {
    select: occurrencesOf,
    refetchInterval: 10_000,
  })
  return (
    <Card title="History">
      <QueryView
        query={query}
        isEmpty={(rows) => rows.length === 0}
        empty={<p className="muted">Tasks of this schedule appear here after its first time.</p>}
      >
        {(rows) => (
          <ul className="missed-fires">
            {rows.map(({ task_id, scheduled_for, manual, state }) => (
              <li key={task_id}>
                <Link href={`/tasks/${encodeURIComponent(task_id)}`}>{formatTime(scheduled_for)}</Link>
                <StatusBadge status={state} />
                <span className="muted">{manual ? 'started by hand' : 'on time'}</span>
              </li>
            ))}
          </ul>
        )}
      </QueryView>
      {query.loadMore && <Button onPress={query.loadMore}>Show more</Button>}
    </Card>
  )
}
