import type { SearchQuery } from '@homeward/contract/device-cloud'
import { Link } from 'react-aria-components'
import { useParams, useSearchParams } from 'wouter'
import { CopyButton } from '../../components/buttons/copy-button.tsx'
import { MissingState } from '../../components/states/missing-state.tsx'
import { PageHeader } from '../../components/layout/page-header.tsx'
import { QueryView } from '../../components/states/query-view.tsx'
import { formatTime, RelativeTime } from '../../components/text/relative-time.tsx'
import { StatusBadge } from '../../components/states/status-badge.tsx'
import { SearchGroup } from './search-group.tsx'
import { SearchOutcome } from './search-outcome.tsx'
import './search-page.css'
import { useSearch } from './use-searches.ts'

const back = { href: '/searches', label: 'Searches' }

/** One search with what its device found; of a search on many devices also the others. */
export function SearchPage() {
  const { id } = useParams<{ id: string }>()
  const [params] = useSearchParams()
  const query = useSearch(id)
  const isOfGroup = params.has('group')
  const { search } = query
  return (
    <>
      <PageHeader
        title={search ? search.query : 'Search'}
        back={back}
        description={search && <SearchFacts search={search} />}
        actions={search && <CopyButton text={search.id} label="Copy id" />}
      />
      <QueryView
        query={query}
        isEmpty={({ results }) => results.length === 0}
        empty={<MissingState kind="search" id={id} list={back} />}
      >
        {() =>
          search && (
            <div className="search-page" {...(isOfGroup && { 'data-group': true })}>
              {isOfGroup && <SearchGroup search={search} />}
              <div className="stack" key={search.id}>
                <SearchOutcome search={search} />
              </div>
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
