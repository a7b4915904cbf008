import type { SearchQuery } from '@homeward/contract/device-cloud'
import { Layers } from 'lucide-react'
import { Link } from 'react-aria-components'
import { Redirect, useParams, useSearchParams } from 'wouter'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { formatTime, RelativeTime } from '../components/text/relative-time.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { useEndSearch } from './end-search.tsx'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { hrefOfGroup } from './search-draft.ts'
import { SearchOutcome } from './search-outcome.tsx'
import { useSearch } from './use-searches.ts'

const back = { href: '/searches', label: 'Searches' }

/** One search with what its device found. An address with `?group` means the search on all of its devices. */
export function SearchPage() {
  const { id } = useParams<{ id: string }>()
  const [params] = useSearchParams()
  const query = useSearch(id)
  const { search } = query
  const end = useEndSearch(search)
  if (search?.groupId !== undefined && params.has('group')) {
    return <Redirect to={hrefOfGroup(search.groupId)} replace />
  }
  return (
    <>
      <PageHeader
        title={search ? search.query : 'Search'}
        back={back}
        description={search && <SearchFacts search={search} />}
        actions={
          search && (
            <>
              {search.groupId !== undefined && (
                <LinkButton href={hrefOfGroup(search.groupId)} icon={<Layers aria-hidden />}>
                  All results
                </LinkButton>
              )}
              <CopyButton text={search.id} label="Copy id" />
              <ActionMenu actions={[end]} />
            </>
          )
        }
      />
      <QueryView
        query={query}
        isEmpty={({ results }) => results.length === 0}
        empty={<MissingState kind="search" id={id} list={back} />}
      >
        {() =>
          search && (
            <div className="stack" key={search.id}>
              <SearchOutcome search={search} />
            </div>
          )
        }
      </QueryView>
    </>
  )
}

function SearchFacts({ search }: { readonly search: SearchQuery }) {
  const { device, status, scope, createdAt, completedAt } = search
  return (
    <div className="row">
      <span role="status" aria-label="State of the search">
        <StatusBadge status={status} />
      </span>
      <span>
        on <Link href={`/devices/${encodeURIComponent(device.id)}`}>{device.name}</Link>
      </span>
      <span>in {scope.join(', ')}</span>
      <span>
        asked <RelativeTime value={createdAt} />
      </span>
      {completedAt !== null && <span>settled {formatTime(completedAt)}</span>}
    </div>
  )
}
