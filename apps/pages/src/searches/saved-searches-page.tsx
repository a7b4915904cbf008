import type { SavedSearch } from '@homeward/contract/device-cloud'
import { Plus } from 'lucide-react'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { formatInZone } from '../components/text/format-in-zone.ts'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { describeFilter } from './describe-group.ts'
import { describeSchedule } from '../components/schedule/schedule-draft.ts'
import { hrefOfSaved, useSavedSearches } from './use-searches.ts'
import { ListPage } from '../components/table/list-page.tsx'

const columns: readonly DataColumn<SavedSearch>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: '2fr', minWidth: 140 },
  { id: 'query', header: 'Search for', cell: ({ query }) => query, width: '2fr', minWidth: 120 },
  {
    id: 'devices',
    header: 'Devices',
    cell: ({ filter }) => describeFilter(filter),
    width: '2fr',
    minWidth: 120,
  },
  {
    id: 'schedule',
    header: 'Runs',
    cell: ({ schedule, timezone }) => describeSchedule(schedule, timezone),
    width: '3fr',
    minWidth: 260,
  },
  {
    id: 'next',
    header: 'Next run',
    cell: ({ nextRunAt, timezone }) =>
      nextRunAt === undefined ? (
        <span className="muted">–</span>
      ) : (
        <RelativeTime
          value={nextRunAt}
          {...(timezone !== undefined && { title: formatInZone(nextRunAt, timezone), timeZone: timezone })}
        />
      ),
    width: 170,
    isCardCorner: true,
  },
]
const nameOf = ({ name }: SavedSearch) => name
const hrefOf = ({ id }: SavedSearch) => hrefOfSaved(id)

/** Searches that can be run again, also by a schedule. */
export function SavedSearchesPage() {
  const saved = useSavedSearches()
  return (
    <ListPage
      title="Saved searches"
      back={{ href: '/searches', label: 'Searches' }}
      actions={
        (saved.data?.length ?? 0) > 0 && (
          <LinkButton href="/searches/new" variant="primary" icon={<Plus aria-hidden />}>
            New search
          </LinkButton>
        )
      }
      query={saved}
      columns={columns}
      cards="compact"
      rowText={nameOf}
      rowHref={hrefOf}
      empty={
        <EmptyState
          title="No saved searches yet"
          action={<LinkButton href="/searches/new">New search</LinkButton>}
        >
          Saved searches appear here. Open a search and choose Save search.
        </EmptyState>
      }
    />
  )
}
