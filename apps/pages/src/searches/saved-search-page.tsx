import type { SavedSearch } from '@homeward/contract/device-cloud'
import { useParams } from 'wouter'
import { Card } from '../components/layout/card.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { formatTime } from '../components/text/relative-time.tsx'
import { describeFilter } from './describe-group.ts'
import { GroupList } from './group-list.tsx'
import { Changes } from './changes.tsx'
import { SavedSearchActions } from './saved-search-actions.tsx'
import { describeSchedule } from '../components/schedule/schedule-draft.ts'
import { useSavedSearch } from './use-searches.ts'

const back = { href: '/searches/saved', label: 'Saved searches' }

/** One saved search: when it runs, what changed between its last two runs, and its runs. */
export function SavedSearchPage() {
  const { id } = useParams<{ id: string }>()
  const query = useSavedSearch(id)
  const saved = query.data?.savedSearch
  return (
    <>
      <PageHeader
        title={saved?.name ?? 'Saved search'}
        back={back}
        actions={saved && <SavedSearchActions saved={saved} />}
      />
      <QueryView query={query} missing={<MissingState kind="saved search" id={id} list={back} />}>
        {({ savedSearch }) => <KnownSearch saved={savedSearch} />}
      </QueryView>
    </>
  )
}

function KnownSearch({ saved }: { readonly saved: SavedSearch }) {
  const { id, query, scope, filter, schedule, timezone, nextRunAt } = saved
  return (
    <div className="stack">
      <Card>
        <Facts
          facts={[
            ['Search for', query],
            ['In', scope.join(', ')],
            ['Devices', describeFilter(filter)],
            ['Runs', describeSchedule(schedule, timezone)],
            ['Next run', nextRunAt === undefined ? undefined : formatTime(nextRunAt)],
          ]}
        />
      </Card>
      <Changes savedSearchId={id} />
      <Card title="Runs">
        <GroupList filter={{ text: '', time: 'all', state: 'all', savedSearchId: id }} />
      </Card>
    </div>
  )
}
