import type { Collection } from '@homeward/contract/agent-platform'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-aria-components'
import { useLocation, useParams } from 'wouter'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { SearchField } from '../components/fields/search-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { FilterBar } from '../components/table/filter-bar.tsx'
import { useAddressFilter } from '../components/use-address-filter.ts'
import { EditCollectionDialog } from './collection-form.tsx'
import { DocumentList } from './document-list.tsx'
import { FoundPassages } from './found-passages.tsx'
import { TextDocumentDialog } from './text-document-dialog.tsx'

const list = { href: '/collections', label: 'Collections' }
const noFilter = { q: '', user_id: '' }

/** A collection: its documents, what a search in them finds, and the agents that search it. */
export function CollectionPage() {
  const { id } = useParams<{ id: string }>()
  const query = usePlatformQuery('getCollection', { params: { id } })
  const collection = query.data?.collection
  return (
    <>
      <PageHeader
        title={collection?.name ?? id}
        description={collection?.description}
        back={list}
        actions={
          collection && (
            <>
              <TextDocumentDialog collection={collection} />
              <CollectionMenu collection={collection} />
            </>
          )
        }
      />
      <QueryView query={query} missing={<MissingState kind="collection" id={id} list={list} />}>
        {({ collection }) => <CollectionView key={collection.id} collection={collection} />}
      </QueryView>
    </>
  )
}

function CollectionView({ collection }: { readonly collection: Collection }) {
  const [filter, change] = useAddressFilter(noFilter)
  const words = (
    <SearchField
      label="Search in the documents"
      placeholder="A question, or some words"
      value={filter.q}
      onChange={(q) => change({ q })}
      maxLength={2000}
    />
  )
  return (
    <>
      {collection.per_user ? (
        <FilterBar isMainFirst active={filter.user_id === '' ? 0 : 1}>
          {words}
          <TextField
            label="User"
            placeholder="All users"
            value={filter.user_id}
            onChange={(userId) => change({ user_id: userId })}
            maxLength={200}
          />
        </FilterBar>
      ) : (
        <search>{words}</search>
      )}
      {filter.q.trim() === '' ? (
        <DocumentList collection={collection} userId={filter.user_id.trim()} />
      ) : (
        <FoundPassages collectionId={collection.id} q={filter.q.trim()} userId={filter.user_id.trim()} />
      )}
      <AgentsOfCollection collection={collection} />
    </>
  )
}

/** The agents that search a collection, and how to let one do so. */
function AgentsOfCollection({ collection: { id, name = id } }: { readonly collection: Collection }) {
  const agents = usePlatformQuery('listAgents').data?.agents
  const using = agents?.filter(({ collections }) => collections?.includes(id))
  if (!using) return null
  return (
    <Card title="Agents with this collection">
      {using.length === 0 ? (
        <p className="muted">
          No agent searches it yet. Open an <Link href="/agents">agent</Link> and tick {name} under Skills and
          tools.
        </p>
      ) : (
        <p className="row">
          {using.map((agent) => (
            <Link key={agent.id} href={`/agents/${agent.id}`} className="foreign">
              {agent.name ?? agent.id}
            </Link>
          ))}
        </p>
      )}
    </Card>
  )
}

function CollectionMenu({ collection }: { readonly collection: Collection }) {
  const { id, name = id } = collection
  const [, navigate] = useLocation()
  const [isEdited, setIsEdited] = useState(false)
  const remove = usePlatformMutation('deleteCollection', { invalidates: ['listCollections'] })

  async function erase(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    showToast({ title: `${name} deleted` })
    navigate('/collections')
  }

  return (
    <>
      <ActionMenu
        actions={[
          { label: 'Edit', icon: <Pencil aria-hidden />, onAction: () => setIsEdited(true) },
          {
            label: 'Delete collection',
            icon: <Trash2 aria-hidden />,
            confirm: {
              title: `Delete ${name}?`,
              text: (
                <p>
                  The collection and all its documents are deleted permanently. Agents no longer find these
                  documents.
                </p>
              ),
              onConfirm: erase,
            },
          },
        ]}
      />
      {isEdited && <EditCollectionDialog collection={collection} onClose={() => setIsEdited(false)} />}
    </>
  )
}
