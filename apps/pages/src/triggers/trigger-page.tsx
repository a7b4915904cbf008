import type { Trigger, TriggerDelivery } from '@homeward/contract/agent-platform'
import { Pause, Play, Trash2 } from 'lucide-react'
import { Link } from 'react-aria-components'
import { useLocation, useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RowList, toList } from '../components/table/list-page.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { outcomes, targetOf, verificationNames } from './trigger-texts.ts'
import { TriggerTarget } from './triggers-page.tsx'

const list = { href: '/triggers', label: 'Triggers' }

/** A trigger: its address, and what came of its last calls. */
export function TriggerPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getTrigger', { params: { id } })
  usePlatformQuery('listAgents') // the facts show a name
  const trigger = query.data?.trigger
  return (
    <>
      <PageHeader
        title={trigger?.name ?? 'Trigger'}
        description={trigger && <StatusBadge status={trigger.enabled ? 'on' : 'off'} />}
        back={list}
        actions={trigger && <TriggerActions trigger={trigger} />}
      />
      <QueryView query={query} missing={<MissingState kind="trigger" id={id} list={list} />}>
        {({ trigger }) => (
          <>
            <TriggerFacts trigger={trigger} />
            <Deliveries id={trigger.id} />
          </>
        )}
      </QueryView>
    </>
  )
}

function TriggerActions({ trigger: { id, name, enabled } }: { readonly trigger: Trigger }) {
  const [, navigate] = useLocation()
  const change = usePlatformMutation('updateTrigger', {
    invalidates: ['getTrigger', 'listTriggers'],
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  const remove = usePlatformMutation('deleteTrigger', { invalidates: ['listTriggers'] })

  async function erase(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    showToast({ title: `${name} deleted` })
    navigate('/triggers')
  }

  return (
    <>
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
            label: 'Delete trigger',
            icon: <Trash2 aria-hidden />,
            confirm: {
              title: `Delete ${name}?`,
              text: <p>Calls of its address are then rejected. The tasks that it started stay.</p>,
              onConfirm: erase,
            },
          },
        ]}
      />
    </>
  )
}

function TriggerFacts({ trigger }: { readonly trigger: Trigger }) {
  const { url, verify, input, filter, conversation, per_minute: perMinute } = trigger
  const { kind, id } = targetOf(trigger)
  return (
    <Card>
      <Facts
        facts={[
          [
            'Address',
            <span key="address" className="row">
              <code className="foreign">{url}</code>
              <CopyButton text={url} label="Copy address" isIconOnly />
            </span>,
          ],
          [
            'Starts',
            kind === 'event' ? (
              `the event ${id}`
            ) : (
              <Link key="starts" href={`/${kind}s/${encodeURIComponent(id)}`}>
                <TriggerTarget trigger={trigger} />
              </Link>
            ),
          ],
          [kind === 'event' ? 'Data' : 'Task', input ?? 'Everything that the other program sent'],
          ['Proven by', verificationNames[verify]],
          ['Only calls like', filter && JSON.stringify(filter)],
          ['Conversation', conversation],
          ['At most', perMinute === 1 ? '1 call a minute' : `${perMinute} calls a minute`],
        ]}
      />
    </Card>
  )
}

const columns: readonly DataColumn<TriggerDelivery>[] = [
  { id: 'at', header: 'When', width: 140, isRowHeader: true, cell: ({ at }) => <RelativeTime value={at} /> },
  {
    id: 'outcome',
    header: 'Result',
    width: 170,
    cell: ({ outcome }) => (
      <StatusBadge status={outcome} tone={outcomes[outcome].tone}>
        {outcomes[outcome].label}
      </StatusBadge>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    width: '1fr',
    minWidth: 140,
    cell: ({ reason }) => (
      <span className="truncate" title={reason}>
        {reason ?? '–'}
      </span>
    ),
    cardCell: ({ reason }) => reason,
  },
  {
    id: 'task',
    header: 'Task',
    width: 110,
    cell: ({ task_id: id }) => (id === undefined ? '–' : <Link href={`/tasks/${id}`}>Open task</Link>),
    cardCell: ({ task_id: id }) => id && <Link href={`/tasks/${id}`}>Open task</Link>,
  },
]

function Deliveries({ id }: { readonly id: string }) {
  const query = usePlatformQuery('listTriggerDeliveries', { params: { id } }, { refetchInterval: 5000 })
  return (
    <Card title="Calls of the last seven days">
      <RowList
        label="Calls"
        query={toList(query, ({ deliveries }) => deliveries)}
        columns={columns}
        cards="compact"
        empty={
          <EmptyState title="No calls yet">
            Calls appear here once the other program sends one with a valid signature.
          </EmptyState>
        }
      />
      <p className="muted small">
        The newest 100 calls with a valid proof. The task of a call contains the data that was sent.
      </p>
    </Card>
  )
}
