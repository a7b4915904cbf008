import type { Device } from '@homeward/contract/device-cloud'
import { Plus, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../api/cloud.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { LeaveGuard } from '../components/dialogs/leave-guard.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { useDeviceCounts, useDevices, useOnlineFirst } from '../devices/use-devices.ts'
import { DevicePicker } from '../devices/device-picker.tsx'
import {
  checkSearch,
  emptySearch,
  hrefOfGroup,
  readRefusal,
  type SearchDraft,
  toSearchBody,
} from './search-draft.ts'
import { SearchFields } from './search-fields.tsx'
import { type DeviceFilter, everyDevice } from '../devices/device-filter.ts'

/** Searches all devices, those that a filter matches, or some that were chosen. */
export function NewSearchPage() {
  const devices = useDevices()
  // Of thousands, those that are online are read too: they declare what they can search.
  const ordered = useOnlineFirst(devices.data, everyDevice)
  return (
    <>
      <PageHeader title="New search" back={{ href: '/searches', label: 'Searches' }} />
      <QueryView
        query={devices}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <EmptyState
            title="No devices to search yet"
            action={
              <LinkButton href="/add" variant="primary" icon={<Plus aria-hidden />}>
                Add device
              </LinkButton>
            }
          >
            Add a device first. Then you can search its files, apps and system facts.
          </EmptyState>
        }
      >
        {(rows) => <SearchForm devices={ordered ?? rows} hasAll={devices.loadMore === undefined} />}
      </QueryView>
    </>
  )
}

interface SearchFormProps {
  readonly devices: readonly Device[]
  /** Whether there are no others. */
  readonly hasAll: boolean
}

function SearchForm({ devices, hasAll }: SearchFormProps) {
  const [, navigate] = useLocation()
  const [first] = useState<SearchDraft>(() => ({
    ...emptySearch,
    query: readWantedQuery(),
    filter: readWantedFilter(),
    deviceIds: readWantedDevices(),
  }))
  const [written, setDraft] = useState(first)
  const draft = useMemo(() => (hasAll ? withoutGone(written, devices) : written), [hasAll, written, devices])
  const { total } = useDeviceCounts(useDebounced(draft.filter))
  const [attempts, setAttempts] = useState(0)
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createSearches', {
    invalidates: ['listSearches', 'listSearchGroups'],
    onSuccess: ({ groupId }) => navigate(hrefOfGroup(groupId)),
  })
  const problems = useMemo(() => checkSearch(draft, total), [draft, total])
  const refused = readRefusal(create.error)
  const shown = attempts > 0 ? { ...refused.fields, ...problems } : {}
  const count = draft.deviceIds.size > 0 ? draft.deviceIds.size : total

  function submit(): void {
    setAttempts((before) => before + 1)
    if (Object.keys(problems).length > 0) return create.reset()
    const body = toSearchBody(draft)
    create.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error ?? attempts}>
      <Card>
        <SearchFields
          draft={draft}
          problems={shown}
          devices={devices}
          onChange={setDraft}
          action={
            <Button
              type="submit"
              variant="primary"
              icon={<Search aria-hidden />}
              isPending={create.isPending}
            >
              {count !== undefined && count > 1 ? `Search on ${count.toLocaleString()} devices` : 'Search'}
            </Button>
          }
        />
        {/* Above the devices, which may be thousands. */}
        {refused.rest && <ErrorState error={refused.rest} isInline />}
      </Card>
      <DevicePicker
        selected={draft.deviceIds}
        problem={shown.deviceIds}
        onChange={(deviceIds) => setDraft((before) => ({ ...before, deviceIds }))}
        matching={{
          filter: draft.filter,
          onChange: (filter) => setDraft((before) => ({ ...before, filter })),
        }}
      />
      <LeaveGuard isDirty={written !== first && !create.isPending} />
    </SubmitForm>
  )
}

/** Devices that were deleted since they were chosen are not asked: the server would refuse all of them. */
function withoutGone(draft: SearchDraft, devices: readonly Device[]): SearchDraft {
  const known = new Set(devices.map(({ id }) => id))
  const isGone = [...draft.deviceIds].some((id) => !known.has(id))
  if (!isGone) return draft
  return { ...draft, deviceIds: new Set([...draft.deviceIds].filter((id) => known.has(id))) }
}

/**
 * The devices that the page was opened for: of the address, or of the history where there are many. The browser keeps both
 * over a reload.
 */
function readWantedDevices(): ReadonlySet<string> {
  const inAddress = new URLSearchParams(location.search).getAll('device')
  const state: unknown = history.state
  const inHistory: unknown =
    typeof state === 'object' && state !== null ? Reflect.get(state, 'deviceIds') : undefined
  const known = Array.isArray(inHistory) ? inHistory.filter((each) => typeof each === 'string') : []
  return new Set([...inAddress, ...known])
}

/** The filter that the page was opened with, by the names that the list of devices has in its address. */
function readWantedFilter(): DeviceFilter {
  const params = new URLSearchParams(location.search)
  const read = Object.entries(everyDevice).map(([name, initial]: [string, string]) => [
    name,
    params.get(name) ?? initial,
  ])
  return Object.fromEntries(read) as DeviceFilter // it has just these names
}

/** The text that the page was opened to search for: `q` of the address. */
const readWantedQuery = (): string => new URLSearchParams(location.search).get('q') ?? ''
