import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Button } from '../components/buttons/button.tsx'
import { Card } from '../components/layout/card.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { type DeliveryView, eventText, type WebhookApi, type WebhookView } from './webhook-api.ts'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RowList } from '../components/table/list-page.tsx'

/** What a {@link WebhookCard} takes. */
interface WebhookCardProps {
  readonly api: WebhookApi
  readonly webhook: WebhookView
}

/** One webhook: what it gets, whether that works, and what can be done with it. */
export function WebhookCard({ api, webhook }: WebhookCardProps) {
  const { id, url, events, enabled, failingSince } = webhook
  const [areShown, setAreShown] = useState(false)
  const test = useMutation({ mutationFn: () => api.test(id) })
  return (
    <Card
      title={<span className="foreign">{url}</span>}
      actions={
        <>
          <WebhookStatus webhook={webhook} />
          <WebhookMenu api={api} webhook={webhook} />
        </>
      }
    >
      <p className="muted">
        {events.map((type, place) => (
          <span key={type} title={type}>
            {place > 0 && ' · '}
            {eventText(api.events, type)}
          </span>
        ))}
      </p>
      {enabled && failingSince !== undefined && (
        <Notice tone="warn">
          Every attempt has failed since <RelativeTime value={failingSince} />. After 5 days the webhook is
          disabled.
        </Notice>
      )}
      {!enabled && <DisabledNotice api={api} webhook={webhook} />}
      {test.data && <TestOutcome delivery={test.data} />}
      {test.error && <ErrorState error={test.error} isInline />}
      <div className="row">
        <Button isPending={test.isPending} onPress={() => test.mutate()} aria-label={`Send test to ${url}`}>
          Send test
        </Button>
      </div>
      <Disclosure title="Deliveries" isExpanded={areShown} onExpandedChange={setAreShown}>
        {areShown && <DeliveriesTable api={api} id={id} />}
      </Disclosure>
    </Card>
  )
}

function WebhookStatus({ webhook: { enabled, failingSince } }: Pick<WebhookCardProps, 'webhook'>) {
  if (!enabled) return <StatusBadge status="disabled" tone="bad" />
  if (failingSince !== undefined) return <StatusBadge status="failing" tone="warn" />
  return <StatusBadge status="enabled" />
}

function DisabledNotice({ api, webhook: { id, url, disabledReason } }: WebhookCardProps) {
  const enable = useMutation({ mutationFn: () => api.update(id, { enabled: true }) })
  return (
    <>
      <Notice
        tone="bad"
        actions={
          <Button
            isPending={enable.isPending}
            onPress={() => enable.mutate()}
            aria-label={`Enable again: ${url}`}
          >
            Enable again
          </Button>
        }
      >
        {disabledReason === undefined ? 'You disabled this webhook.' : `Disabled: ${disabledReason}.`} Events
        that happened since then are not sent.
      </Notice>
      {enable.error && <ErrorState error={enable.error} isInline />}
    </>
  )
}

function TestOutcome({ delivery: { status, responseCode, error } }: { readonly delivery: DeliveryView }) {
  return (
    <p role="status">
      {status === 'delivered' ? `Test delivered: the receiver responded with ${responseCode}.` : error}
    </p>
  )
}

function WebhookMenu({ api, webhook: { id, url, enabled } }: WebhookCardProps) {
  async function erase(): Promise<void> {
    await untilGone(api.remove(id))
    showToast({ title: 'Webhook deleted', text: url })
  }
  return (
    <ActionMenu
      label={`More actions for ${url}`}
      actions={[
        enabled && {
          label: 'Disable webhook',
          confirm: {
            title: `Disable ${url}?`,
            text: <p>Waiting deliveries are dropped. You can enable the webhook again for later events.</p>,
            isDanger: false,
            onConfirm: () => api.update(id, { enabled: false }),
          },
        },
        {
          label: 'Delete webhook',
          confirm: {
            title: `Delete ${url}?`,
            text: <p>Its deliveries and its secret are deleted too.</p>,
            onConfirm: erase,
          },
        },
      ]}
    />
  )
}

const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const

const columnsOf = (events: WebhookApi['events']): readonly DataColumn<DeliveryView>[] => [
  {
    id: 'event',
    header: 'Event',
    cell: ({ type }) => <span title={type}>{eventText(events, type)}</span>,
    width: '2fr',
    minWidth: 150,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <StatusBadge status={status} tone={tones[status]} />,
    width: 110,
  },
  { id: 'when', header: 'Happened', cell: ({ createdAt }) => <RelativeTime value={createdAt} />, width: 120 },
  { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts, width: 90, align: 'end' },
  {
    id: 'next',
    header: 'Next attempt',
    cell: ({ nextAttemptAt }) => (nextAttemptAt === undefined ? '' : <RelativeTime value={nextAttemptAt} />),
    width: 120,
  },
  {
    id: 'outcome',
    header: 'Last response',
    cell: ({ responseCode, error }) => error ?? responseCode ?? '',
    width: '3fr',
    minWidth: 180,
  },
]
const textOf = ({ type }: DeliveryView) => type

/** The newest deliveries of a webhook. */
function DeliveriesTable({ api, id }: { readonly api: WebhookApi; readonly id: string }) {
  const deliveries = api.useDeliveries(id)
  const { events } = api
  const columns = useMemo(() => columnsOf(events), [events])
  return (
    <RowList
      label="Deliveries"
      query={deliveries}
      columns={columns}
      rowText={textOf}
      empty={<p className="muted">No deliveries yet.</p>}
    />
  )
}
