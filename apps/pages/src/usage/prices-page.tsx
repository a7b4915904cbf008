import type { ModelPriceView, PriceOverride, PriceList } from '@homeward/contract/agent-platform'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { IconButton } from '../components/buttons/icon-button.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { type DataColumn, DataTable } from '../components/table/data-table.tsx'
import { formatUsd } from './format-usage.ts'
import { PriceForm } from './price-form.tsx'
import { pricesChanged } from './price-form.tsx'

/** What models cost: the prices that ship with the product, and the operator's own. */
export function PricesPage() {
  const query = usePlatformQuery('listPrices')
  const [params, setParams] = useSearchParams()
  // A link that says "No price" opens the form for its model.
  const asked = params.get('model') ?? undefined
  return (
    <>
      <PageHeader
        title="Prices"
        description="Cost, usage and budgets are calculated from these prices, in US dollars per million tokens."
        actions={
          <Dialog
            title="Add a price"
            trigger={
              <Button variant="primary" icon={<Plus aria-hidden />}>
                Add price
              </Button>
            }
          >
            {(close) => <PriceForm saved={undefined} model="" canChooseModel onSaved={close} />}
          </Dialog>
        }
      />
      <QueryView query={query}>
        {(list) => (
          <>
            <PriceOverrides prices={list.prices} />
            <Catalog catalog={list.catalog} />
            {asked !== undefined && (
              <Dialog
                title={`Price of ${asked}`}
                isOpen
                onOpenChange={(isOpen) => !isOpen && setParams({}, { replace: true })}
              >
                <PriceForm
                  saved={list.prices.find(({ model }) => model === asked)}
                  model={asked}
                  canChooseModel
                  onSaved={() => setParams({}, { replace: true })}
                />
              </Dialog>
            )}
          </>
        )}
      </QueryView>
    </>
  )
}

const amountColumns: readonly DataColumn<ModelPriceView>[] = [
  amountColumn('input', 'Input', ({ inputPerMillion }) => inputPerMillion),
  amountColumn('output', 'Output', ({ outputPerMillion }) => outputPerMillion),
  amountColumn(
    'cached',
    'Cached input',
    ({ cachedInputPerMillion: cached, inputPerMillion }) => cached ?? inputPerMillion,
  ),
  amountColumn(
    'writes',
    'Cache writes',
    ({ cacheWritePerMillion: writes, inputPerMillion }) => writes ?? inputPerMillion,
  ),
]

function amountColumn(
  id: string,
  header: string,
  amount: (price: ModelPriceView) => number,
): DataColumn<ModelPriceView> {
  return { id, header, width: 130, align: 'end', cell: (price) => formatUsd(amount(price)) }
}

const modelColumn: DataColumn<ModelPriceView> = {
  id: 'model',
  header: 'Model',
  width: '2fr',
  minWidth: 250,
  cardLines: 2,
  isRowHeader: true,
  cell: ({ model }) => <span className="mono">{model}</span>,
}

const ownColumns: readonly DataColumn<PriceOverride>[] = [
  modelColumn,
  ...amountColumns,
  {
    id: 'source',
    header: 'Source',
    width: 120,
    cell: ({ source }) => (source === 'settings' ? 'Settings' : 'prices.json'),
  },
  { id: 'change', header: 'Change', width: 110, cell: (price) => <OwnPriceActions price={price} /> },
]
const catalogColumns = [modelColumn, ...amountColumns]
const modelOf = ({ model }: ModelPriceView) => model

function PriceOverrides({ prices }: { readonly prices: PriceList['prices'] }) {
  if (prices.length === 0) return null
  return (
    <Card title="Own prices" isFlush>
      <DataTable label="Own prices" columns={ownColumns} rows={prices} rowId={modelOf} empty={null} />
    </Card>
  )
}

function OwnPriceActions({ price }: { readonly price: PriceOverride }) {
  const remove = usePlatformMutation('deletePrice', { invalidates: pricesChanged })
  const { model, source } = price
  return (
    <span className="row">
      <Dialog
        title={`Price of ${model}`}
        trigger={<IconButton label={`Change the price of ${model}`} icon={<Pencil aria-hidden />} />}
      >
        {(close) => <PriceForm saved={price} model={model} canChooseModel={false} onSaved={close} />}
      </Dialog>
      {source === 'settings' && (
        <ActionMenu
          label={`Actions of ${model}`}
          actions={[
            {
              label: 'Delete price',
              icon: <Trash2 aria-hidden />,
              confirm: {
                title: `Delete the price of ${model}?`,
                text: (
                  <p>
                    The price in prices.json or in the catalog applies again. Without a price, budgets in US
                    dollars block the model.
                  </p>
                ),
                onConfirm: async () => {
                  await untilGone(remove.mutateAsync({ params: { model } }))
                  showToast({ title: `Price of ${model} deleted` })
                },
              },
            },
          ]}
        />
      )}
    </span>
  )
}

function Catalog({ catalog: { date, prices } }: { readonly catalog: PriceList['catalog'] }) {
  const [text, setText] = useState('')
  const rows = useMemo(
    () => prices.filter(({ model }) => model.toLowerCase().includes(text.trim().toLowerCase())),
    [prices, text],
  )
  return (
    <Card title="Catalog">
      <p className="muted small">
        Ships with this version. The providers’ pages had these prices on <time dateTime={date}>{date}</time>.
      </p>
      <SearchField label="Model" isLabelHidden placeholder="Find a model" value={text} onChange={setText} />
      <DataTable
        label="Catalog"
        columns={catalogColumns}
        rows={rows}
        rowId={modelOf}
        empty={<EmptyState title="No model matches">Enter another part of the name.</EmptyState>}
      />
    </Card>
  )
}
