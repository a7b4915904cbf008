import type { SearchGroup } from '@homeward/contract/device-cloud'
import { GitCompareArrows } from 'lucide-react'
import { Link, useParams } from 'wouter'
import { LinkButton } from '../../components/buttons/link-button.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { RelativeTime } from '../../components/text/relative-time.tsx'
import { describeFilter } from './describe-group.ts'
import { DeleteGroup } from './end-search.tsx'
import { GroupDevices } from './group-devices.tsx'
import { GroupProgress } from './group-progress.tsx'
import { GroupResults } from './group-results.tsx'
import { SaveSearchDialog } from './save-search-dialog.tsx'
import { SearchAgain } from './search-again.tsx'
import { useGroupSearches, useSearchGroup } from './use-search-group.ts'

const back = { href: '/searches', label: 'Searches' }

/** One search on any number of devices, with everything that they found in one list. */
export function GroupPage() {
  const { id } = useParams<{ id: string }>()
  const query = useSearchGroup(id)
  const group = query.data?.group
  return (
    <>
      <PageHeader
        title={group?.query ?? 'Search'}
        back={back}
        description={group && <GroupFacts group={group} />}
        actions={group && <GroupActions group={group} />}
      />
      <QueryView query={query} missing={<MissingState kind="search" id={id} list={back} />}>
        {({ group: known }) => <KnownGroup key={known.id} group={known} />}
      </QueryView>
    </>
  )
}

function KnownGroup({ group }: { readonly group: SearchGroup }) {
  const completed = useGroupSearches(group, 'completed')
  const failed = useGroupSearches(group, 'failed')
  return (
    <div className="stack">
      <GroupProgress group={group} />
      <GroupResults group={group} completed={completed} failed={failed} />
      <GroupDevices group={group} completed={completed} failed={failed} />
    </div>
  )
}

function GroupFacts({ group }: { readonly group: SearchGroup }) {
  const devices = group.total === 1 ? '1 device' : `${group.total.toLocaleString()} devices`
  return (
    <div className="row">
      <span>
        on {devices}
        {group.filter && Object.keys(group.filter).length > 0 && ` (${describeFilter(group.filter)})`}
      </span>
      <span>in {group.scope.join(', ')}</span>
      <span>
        asked <RelativeTime value={group.createdAt} />
      </span>
      {group.savedSearchId !== undefined && (
        <Link href={`/searches/saved/${encodeURIComponent(group.savedSearchId)}`}>run of a saved search</Link>
      )}
    </div>
  )
}

function GroupActions({ group }: { readonly group: SearchGroup }) {
  const { savedSearchId, query, scope, filter } = group
  return (
    <>
      <SearchAgain group={group} />
      {savedSearchId === undefined ? (
        <SaveSearchDialog
          fields={{ name: query, query, scope, filter: filter ?? {} }}
          isAnyFilter={!filter}
        />
      ) : (
        <LinkButton
          href={`/searches/saved/${encodeURIComponent(savedSearchId)}`}
          icon={<GitCompareArrows aria-hidden />}
        >
          Compare with last time
        </LinkButton>
      )}
      <DeleteGroup group={group} />
    </>
  )
}
