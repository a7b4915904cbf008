import type { Device } from '@homeward/contract/device-cloud'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../../api/cloud.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Card } from '../../components/layout/card.tsx'
import { EmptyState } from '../../components/states/empty-state.tsx'
import { ErrorState } from '../../components/states/error-state.tsx'
import { LeaveGuard } from '../../components/dialogs/leave-guard.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { SubmitForm } from '../../components/fields/submit-form.tsx'
import { useDevices } from '../devices/use-devices.ts'
import { DevicePicker } from './device-picker.tsx'
import { readWantedDevices } from './read-wanted-devices.ts'
import { checkSearch, emptySearch, readRefusal, type SearchDraft, toSearchBody } from './search-draft.ts'
import { SearchFields } from './search-fields.tsx'
import { rememberSearchGroup } from './search-groups.ts'

/** Asks one or more devices. */
export function NewSearchPage() {
  const devices = useDevices()
  return (
    <>
      <PageHeader title="New search" back={{ href: '/searches', label: 'Searches' }} />
      <QueryView
        query={devices}
        isEmpty={(rows) => rows.length === 0}
        empty={<EmptyState title="There is no device to search on">Register one first.</EmptyState>}
      >
        {(rows) => <SearchForm devices={rows} hasAll={devices.loadMore === undefined} />}
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
  const [first] = useState<SearchDraft>(() => ({ ...emptySearch, deviceIds: preselect(devices) }))
  const [written, setDraft] = useState(first)
  const draft = useMemo(() => (hasAll ? withoutGone(written, devices) : written), [hasAll, written, devices])
  const [attempts, setAttempts] = useState(0)
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createSearches', {
    invalidates: ['listSearches'],
    onSuccess: ({ searchQueries }) => {
      const [first, ...more] = searchQueries
      if (more.length > 0) rememberSearchGroup(searchQueries.map(({ id }) => id))
      if (first) navigate(`/searches/${encodeURIComponent(first.id)}${more.length > 0 ? '?group' : ''}`)
    },
  })
  const problems = useMemo(() => checkSearch(draft), [draft])
  const refused = readRefusal(create.error)
  const shown = attempts > 0 ? { ...refused.fields, ...problems } : {}

  function submit(): void {
    setAttempts((before) => before + 1)
    if (Object.keys(problems).length > 0) return create.reset()
    const body = toSearchBody(draft)
    create.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error ?? attempts}>
      <Card>
        <SearchFields draft={draft} problems={shown} onChange={setDraft} />
      </Card>
      <DevicePicker
        devices={devices}
        selected={draft.deviceIds}
        problem={shown.deviceIds}
        onChange={(deviceIds) => setDraft((before) => ({ ...before, deviceIds }))}
      />
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <div className="row" data-justify="end">
        <Button type="submit" variant="primary" icon={<Search aria-hidden />} isPending={create.isPending}>
          {draft.deviceIds.size > 1 ? `Search on ${draft.deviceIds.size.toLocaleString()} devices` : 'Search'}
        </Button>
      </div>
      <LeaveGuard isDirty={written !== first && !create.isPending} />
    </SubmitForm>
  )
}

/** What the page was opened for; with one device there is nothing to choose. */
function preselect(devices: readonly Device[]): ReadonlySet<string> {
  const wanted = readWantedDevices()
  if (wanted.size > 0) return wanted
  return new Set(devices.length === 1 ? devices.map(({ id }) => id) : [])
}

/** Devices that were deleted since they were chosen are not asked: the server would refuse all of them. */
function withoutGone(draft: SearchDraft, devices: readonly Device[]): SearchDraft {
  const known = new Set(devices.map(({ id }) => id))
  return { ...draft, deviceIds: new Set([...draft.deviceIds].filter((id) => known.has(id))) }
}
