import { Link } from 'react-aria-components'
import { usePlatformQuery } from '../api/platform.ts'
import { EmptyState } from '../components/states/empty-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { useDebounced } from '../components/use-debounced.ts'
import { MatchedText } from '../memory/found-memories.tsx'
import '../memory/memory.css'
import './collections.css'

interface FoundPassagesProps {
  readonly collectionId: string
  readonly q: string
  /** Empty: documents of all users. */
  readonly userId: string
}

/** Passages of documents that fit, the best first, as an agent would get them. */
export function FoundPassages({ collectionId, q, userId }: FoundPassagesProps) {
  const settled = useDebounced(q)
  const query = usePlatformQuery(
    'searchDocuments',
    {
      params: { id: collectionId },
      query: { q: settled, limit: '20', ...(userId !== '' && { user_id: userId }) },
    },
    { keepPrevious: true },
  )
  return (
    <>
      {/* The field keeps the focus: who does not see the list hears of it. */}
      <p role="status" className="visually-hidden">
        {query.data && `Passages found: ${query.data.results.length}`}
      </p>
      <QueryView
        query={query}
        isEmpty={({ results }) => results.length === 0}
        empty={
          <EmptyState title="No passages match">
            Try other words. Documents that are still being read are not found yet.
          </EmptyState>
        }
      >
        {({ results }) => (
          <ol className="passages" aria-label={`${results.length} passages`}>
            {results.map(({ document_id, name, text, page, heading }, index) => (
              <li key={index}>
                <div className="row small">
                  <Link
                    href={`/collections/${collectionId}?document=${encodeURIComponent(document_id)}`}
                    className="foreign"
                  >
                    {name}
                  </Link>
                  {page !== undefined && <span className="muted">page {page}</span>}
                  {heading !== undefined && <span className="muted foreign">{heading}</span>}
                </div>
                <MatchedText text={text} query={settled} />
              </li>
            ))}
          </ol>
        )}
      </QueryView>
    </>
  )
}
