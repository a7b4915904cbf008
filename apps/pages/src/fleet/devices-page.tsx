import type { Device } from '@homeward/contract/device-cloud'
import { KeyRound, Plus, Search } from 'lucide-react'
import { useMemo, useState, useEffect } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../components/buttons/button.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import type { DataColumn, TableSort } from '../components/table/data-table.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { ListViews } from '../components/views/list-views.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { useDebounced } from '../components/use-debounced.ts'
import {
  hrefOfNewSearch,
  toServerFilter,
  type DeviceFilter,
  everyDevice,
  matchesAll,
  toListQuery,
} from '../devices/device-filter.ts'
import { AgentVersion } from './device-facts.tsx'
import { useFacets } from '../devices/device-facets.ts'
import { DeviceFilters } from '../devices/device-filters.tsx'
import { Labels } from '../devices/labels.tsx'
import { LastSeen } from './device-facts.tsx'
import { EditLabels } from './edit-labels.tsx'
import { QuickSearch } from './quick-search.tsx'
import { RegisterDialog } from './register-dialog.tsx'
import { useDeviceCounts, useDevices, useOnlineFirst } from '../devices/use-devices.ts'
import { createSavedViews } from '../components/views/saved-views.ts'
import { cloud } from '../api/cloud.ts'
import type { PagesResult } from '../api/create-api-hooks.ts'

const columns: readonly DataColumn<Device>[] = [
  { id: 'name', isSortable: true, header: 'Name', cell: ({ name }) => name, width: '3fr', minWidth: 170 },
  {
    id: 'status',
    isSortable: true,
    header: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
    width: 105,
    isCardCorner: true,
  },
  {
    id: 'seen',
    isSortable: true,
    header: 'Last seen',
    cell: (device) => <LastSeen device={device} />,
    width: 115,
  },
  { id: 'type', isSortable: true, header: 'Type', cell: ({ type }) => type, width: '1fr', minWidth: 85 },
  {
    id: 'platform',
    isSortable: true,
    header: 'Platform',
    cell: ({ platform }) => platform,
    width: '1fr',
    minWidth: 95,
  },
  {
    id: 'labels',
    header: 'Labels',
    cell: ({ labels }) => <Labels labels={labels} isInRow />,
    cardCell: ({ labels }) => (labels.length > 0 ? labels.join(', ') : undefined),
    width: '3fr',
    minWidth: 140,
  },
  {
    id: 'os',
    header: 'System',
    cell: ({ metadata: { os, version } }) => [os, version].filter(Boolean).join(' ') || '–',
    width: '2fr',
    minWidth: 90,
    isHiddenInCards: true,
  },
  {
    id: 'agent',
    header: 'Agent',
    cell: (device) => <AgentVersion device={device} />,
    width: 130,
    isHiddenInCards: true,
  },
]
const nameOf = ({ name }: Device) => name
const noRows: readonly Device[] = []
/** With fewer devices everything is in sight; with more the server counts too long for each of many values. */
const hasFacets = (total = 0) => total > 5 && total <= 5000
const hrefOf = ({ id }: Device) => `/devices/${encodeURIComponent(id)}`

/** The same names and values as in {@link everyDevice}, for the address. */
const noFilter: Record<keyof DeviceFilter, string> = everyDevice

/** Every device, and how it is. */
export function DevicesPage() {
  const [filter, setFilter] = useAddressFilter(noFilter)
  const wanted = useDebounced(filter)
  const devices = useDevices(wanted)
  const all = useDeviceCounts()
  const order = useDeviceOrder(devices, all.total)
  const known = useDevices().data ?? noRows
  const facets = useFacets(known, wanted, hasFacets(all.total))
  const rows = useOnlineFirst(devices.data, wanted)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // Without any device there is nothing to filter or to search.
  const isBare = (rows: readonly Device[]) => rows.length === 0 && matchesAll(wanted) && all.total === 0
  return (
    <ListPage
      title="Devices"
      description={<Counts filter={wanted} all={all} />}
      actions={
        <>
          <BulkActions selected={selected} filter={wanted} known={known} />
          <LinkButton href="/add" variant="primary" icon={<Plus aria-hidden />}>
            Add device
          </LinkButton>
          <OtherWaysToAdd />
        </>
      }
      query={devices}
      loadingLabel="Loading devices …"
      above={(rows) =>
        !isBare(rows) && (
          <>
            <Views filter={filter} sort={order.written} />
            <SearchThem selected={selected} filter={wanted} all={all.total} />
            <DeviceFilters devices={rows} filter={filter} onChange={setFilter} facets={facets} />
          </>
        )
      }
      columns={columns}
      cards="compact"
      shown={order.sort ? order.rows : rows}
      sort={order.sort}
      onSort={order.onSort}
      rowText={nameOf}
      rowHref={hrefOf}
      selection={{ selected, onChange: setSelected }}
      empty={
        isBare(devices.data ?? noRows) ? (
          <EmptyState
            title="No devices yet"
            action={
              <LinkButton href="/add" icon={<Plus aria-hidden />}>
                Add your first device
              </LinkButton>
            }
          >
            Add a device: start its agent, and approve the code that it shows.
          </EmptyState>
        ) : (
          <EmptyState title="No devices match">Change the words or the filters above.</EmptyState>
        )
      }
    />
  )
}

/** Ways to add a device that few need. */
function OtherWaysToAdd() {
  const [registers, setRegisters] = useState(false)
  return (
    <>
      <ActionMenu
        label="More ways to add a device"
        actions={[
          {
            label: 'Register device',
            icon: <KeyRound aria-hidden />,
            onAction: () => setRegisters(true),
          },
        ]}
      />
      <RegisterDialog isOpen={registers} onOpenChange={setRegisters} />
    </>
  )
}

const noView: Record<keyof DeviceFilter | 'sort', string> = { ...everyDevice, sort: '' }

function Views({ filter, sort }: { readonly filter: DeviceFilter; readonly sort: string }) {
  return <ListViews path="/devices" saved={deviceViews} noFilter={noView} filter={{ ...filter, sort }} />
}

interface CountsProps {
  readonly filter: DeviceFilter
  readonly all: ReturnType<typeof useDeviceCounts>
}

/** How many devices there are, or how many of them the filter matches. */
function Counts({ filter, all }: CountsProps) {
  const { total, online } = useDeviceCounts(filter)
  if (total === undefined || all.total === undefined) return null
  const devices = all.total === 1 ? '1 device' : `${all.total.toLocaleString()} devices`
  return (
    <span className="numeric">
      {matchesAll(filter) ? devices : `${total.toLocaleString()} of ${devices}`}
      {online !== undefined && `, ${online.toLocaleString()} online`}
    </span>
  )
}

interface BulkActionsProps {
  readonly selected: ReadonlySet<string>
  readonly filter: DeviceFilter
  /** Devices that were read: their labels are offered. */
  readonly known: readonly Device[]
}

/** What can be done with the chosen devices, or with all that a filter matches. */
function BulkActions({ selected, filter, known }: BulkActionsProps) {
  const { total = 0 } = useDeviceCounts(filter)
  const labels = useMemo(() => [...new Set(known.flatMap((device) => device.labels))].toSorted(), [known])
  if (selected.size > 0) {
    const names = new Map(known.map(({ id, name }) => [id, name]))
    const chosen = [...selected].map((id) => ({ id, name: names.get(id) ?? id }))
    return (
      <>
        <SearchSelected selected={selected} />
        <EditLabels count={selected.size} known={labels} readDevices={async () => chosen} />
      </>
    )
  }
  if (matchesAll(filter) || total === 0) return null
  return <EditLabels count={total} known={labels} readDevices={() => readMatching(filter)} />
}

interface SearchThemProps {
  readonly selected: ReadonlySet<string>
  readonly filter: DeviceFilter
  readonly all: number | undefined
}

/** Searches the chosen devices, else those that the filter matches. */
function SearchThem({ selected, filter, all }: SearchThemProps) {
  const { total } = useDeviceCounts(filter)
  const count = selected.size > 0 ? selected.size : total
  const word = count === 1 ? 'device' : 'devices'
  const number = count?.toLocaleString() ?? ''
  const kind = selected.size > 0 ? 'chosen' : 'matching'
  const isAll = selected.size === 0 && matchesAll(filter)
  return (
    <QuickSearch
      where={all === 1 ? 'your device' : isAll ? `all ${number} ${word}` : `${number} ${kind} ${word}`}
      target={selected.size > 0 ? { deviceIds: [...selected] } : { filter: toServerFilter(filter) }}
      hrefOfMore={(query) => hrefOfNewSearch(filter, query)}
    />
  )
}

function SearchSelected({ selected }: { readonly selected: ReadonlySet<string> }) {
  const [, navigate] = useLocation()
  return (
    <Button
      icon={<Search aria-hidden />}
      onPress={() => navigate('/searches/new', { state: { deviceIds: [...selected] } })}
    >
      Search on {selected.size.toLocaleString()}
    </Button>
  )
}

/** Views of the list of devices that were saved in this browser. */
const deviceViews = createSavedViews('homeward-device-views')

/** Reads all devices that a filter matches, page by page. */
async function readMatching(filter: DeviceFilter): Promise<readonly Device[]> {
  const found: Device[] = []
  let cursor: string | undefined
  do {
    const query = { ...toListQuery(filter), limit: '1000', ...(cursor !== undefined && { cursor }) }
    const reply = await cloud.listDevices({ query })
    found.push(...reply.devices)
    cursor = reply.nextCursor
  } while (cursor !== undefined)
  return found
}

const noSort = { sort: '' }
const noDevices: readonly Device[] = []

/** So many are read to be sorted here: the server has no order but newest first. */
const mostSorted = 5000

/** The order of the list of devices, which stands in the address. While it has one, all devices that match are read. */
function useDeviceOrder({ data, loadMore, isFetchingNextPage }: PagesResult<Device>, total = 0) {
  const [{ sort }, change] = useAddressFilter(noSort)
  const canSort = total <= mostSorted
  const isActive = canSort && isSorted(sort)
  const rows = useMemo(
    () => (isActive ? sortDevices(data ?? noDevices, sort) : noDevices),
    [data, isActive, sort],
  )
  useEffect(() => {
    if (isActive && !isFetchingNextPage) loadMore?.()
  }, [isActive, isFetchingNextPage, loadMore, data])
  return {
    rows,
    /** As the address has it. */
    written: sort,
    sort: isActive ? toTableSort(sort) : undefined,
    onSort: canSort ? (column: string) => change({ sort: nextDeviceSort(sort, column) }) : undefined,
  }
}

const names = new Intl.Collator(undefined, { numeric: true })
const seenMs = ({ lastSeenAt }: Device) => (lastSeenAt === null ? 0 : Date.parse(lastSeenAt))

/** Orders of the list, by the column that begins with each: who is online and was seen last comes first. */
const orders: Readonly<Record<string, (a: Device, b: Device) => number>> = {
  name: (a, b) => names.compare(a.name, b.name),
  status: (a, b) => b.status.localeCompare(a.status) || names.compare(a.name, b.name),
  seen: (a, b) => seenMs(b) - seenMs(a),
  type: (a, b) => names.compare(a.type, b.type),
  platform: (a, b) => names.compare(a.platform, b.platform),
}

/** Devices in an order of the address: a column, after `-` turned around; any other leaves them newest first. */
export function sortDevices(devices: readonly Device[], sort: string): readonly Device[] {
  const order = orderOf(sort)
  if (!order) return devices
  return devices.toSorted(sort.startsWith('-') ? (a, b) => order(b, a) : order)
}

function orderOf(sort: string) {
  const column = sort.replace(/^-/, '')
  return Object.hasOwn(orders, column) ? orders[column] : undefined
}

/** Whether the list has an order other than newest first. */
const isSorted = (sort: string): boolean => orderOf(sort) !== undefined

/** The order after a press on a header: a second press turns it around, a third one ends it. */
export function nextDeviceSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`
  return sort === `-${column}` ? '' : column
}

/** What the table shows of an order. */
export function toTableSort(sort: string): TableSort | undefined {
  if (!isSorted(sort)) return undefined
  const isTurned = sort.startsWith('-')
  const column = sort.replace(/^-/, '')
  // The newest heartbeat first is the highest first.
  return { column, direction: isTurned === (column === 'seen') ? 'ascending' : 'descending' }
}
