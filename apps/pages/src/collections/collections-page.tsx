import type { Collection } from '@homeward/contract/agent-platform'
import { LibraryBig } from 'lucide-react'
import { usePlatformQuery } from '../api/platform.ts'
import { EmptyState } from '../components/states/empty-state.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { ListPage, toList } from '../components/table/list-page.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { NewCollectionDialog } from './collection-form.tsx'

const columns: readonly DataColumn<Collection>[] = [
  {
    id: 'name',
    header: 'Collection',
    width: '2fr',
    minWidth: 160,
    isRowHeader: true,
    cell: ({ id, name }) => (
      <span className="truncate">
        <strong>{name ?? id}</strong>
        {name !== undefined && name !== id && <span className="muted small mono"> {id}</span>}
      </span>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: '3fr',
    minWidth: 160,
    cell: ({ description }) => <span className="truncate">{description ?? '–'}</span>,
    cardCell: ({ description }) => description,
  },
  {
    id: 'whose',
    header: 'Found by',
    width: '2fr',
    minWidth: 190,
    cell: ({ per_user }) => (per_user ? 'Their own user' : 'All users of its agents'),
  },
  {
    id: 'created',
    header: 'Created',
    width: 120,
    isHiddenInCards: true,
    cell: ({ created_at }) => <RelativeTime value={created_at} />,
  },
]

/** All collections of documents. */
export function CollectionsPage() {
  const query = usePlatformQuery('listCollections')
  return (
    <ListPage
      title="Collections"
      description="Documents that agents search. They name the page that an answer rests on."
      actions={<NewCollectionDialog />}
      query={toList(query, ({ collections }) => collections)}
      columns={columns}
      cards="compact"
      rowText={({ id, name }) => name ?? id}
      rowHref={({ id }) => `/collections/${id}`}
      empty={
        <EmptyState
          title="No collections yet"
          icon={<LibraryBig aria-hidden />}
          action={<NewCollectionDialog isOnlyOne />}
        >
          Create a collection, upload files, and choose the collection in the form of an agent.
        </EmptyState>
      }
    />
  )
}
