import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import type { DeliveryView, WebhookApi } from './webhook-api.ts'

const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const

const columns: readonly DataColumn<DeliveryView>[] = [
  { id: 'event', header: 'Event', cell: ({ type }) => type, width: '2fr', minWidth: 150 },
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
const idOf = ({ id }: DeliveryView) => id
const textOf = ({ type }: DeliveryView) => type

/** The newest deliveries of a webhook. */
export function DeliveriesTable({ api, id }: { readonly api: WebhookApi; readonly id: string }) {
  const deliveries = api.useDeliveries(id)
  return (
    <QueryView
      query={deliveries}
      isEmpty={(rows) => rows.length === 0}
      empty={<p className="muted">No deliveries yet.</p>}
    >
      {(rows) => <DataTable label="Deliveries" columns={columns} rows={rows} rowId={idOf} rowText={textOf} />}
    </QueryView>
  )
}
