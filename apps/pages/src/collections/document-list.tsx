import type { ReplyOf } from '@homeward/contract'
import type {
  AgentPlatformOperations,
  Collection,
  CollectionDocument,
} from '@homeward/contract/agent-platform'
import { FileText, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { usePlatformMutation, usePlatformPages, usePlatformQuery } from '../api/platform.ts'
import { untilGone } from '../api/until-gone.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { Facts } from '../components/layout/facts.tsx'
import { SidePanel } from '../components/layout/side-panel.tsx'
import { EmptyState } from '../components/states/empty-state.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { StatusBadge } from '../components/states/status-badge.tsx'
import { showToast } from '../components/states/toasts.tsx'
import type { DataColumn } from '../components/table/data-table.tsx'
import { RowList } from '../components/table/list-page.tsx'
import { ByteSize } from '../components/text/byte-size.tsx'
import { MiddleCut } from '../components/text/middle-cut.tsx'
import { formatTime, RelativeTime } from '../components/text/relative-time.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'
import { useAddressFilter } from '../components/use-address-filter.ts'
import './collections.css'
import { isQueued, UploadDocuments } from './upload-documents.tsx'

const documentsOf = ({ documents }: ReplyOf<AgentPlatformOperations['listDocuments']>) => documents

const statuses = { queued: 'Being read', ready: 'Ready', failed: 'Failed' } as const
const tones = { queued: 'info', ready: 'good', failed: 'bad' } as const

function DocumentStatus({ document: { status } }: { readonly document: CollectionDocument }) {
  return (
    <StatusBadge status={status} tone={tones[status]}>
      {statuses[status]}
    </StatusBadge>
  )
}

/** How much text it has; undefined until that is known. */
const lengthOf = ({ pages, chunks }: CollectionDocument): string | undefined => {
  if (pages !== undefined) return pages === 1 ? '1 page' : `${formatCount(pages)} pages`
  if (chunks === undefined) return undefined
  return chunks === 1 ? '1 passage' : `${formatCount(chunks)} passages`
}

const columnsOf = ({ id, per_user }: Collection): readonly DataColumn<CollectionDocument>[] => [
  {
    id: 'name',
    header: 'Document',
    width: '3fr',
    minWidth: 130,
    isRowHeader: true,
    cell: ({ name }) => (
      <span title={name}>
        <MiddleCut text={name} keep={16} />
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: '3fr',
    minWidth: 115,
    cell: (document) => (
      <span className="document-status">
        <DocumentStatus document={document} />
        {document.error !== undefined && (
          <span className="muted small truncate" title={document.error}>
            {document.error}
          </span>
        )}
      </span>
    ),
    cardCell: (document) => <DocumentStatus document={document} />,
  },
  ...(per_user
    ? [
        {
          id: 'user',
          header: 'User',
          width: '1fr',
          minWidth: 100,
          cell: ({ user_id }: CollectionDocument) => <span className="truncate">{user_id ?? '–'}</span>,
        } as const,
      ]
    : []),
  {
    id: 'length',
    header: 'Length',
    width: 110,
    align: 'end',
    cell: (document) => lengthOf(document) ?? '–',
    cardCell: lengthOf,
  },
  { id: 'size', header: 'Size', width: 90, align: 'end', cell: ({ bytes }) => <ByteSize value={bytes} /> },
  {
    id: 'changed',
    header: 'Changed',
    width: 110,
    cell: ({ created_at }) => <RelativeTime value={created_at} />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: 90,
    align: 'end',
    isCardCorner: true,
    cell: (document) => <DocumentMenu collectionId={id} document={document} />,
  },
]

interface DocumentMenuProps {
  readonly collectionId: string
  readonly document: CollectionDocument
}

function DocumentMenu({ collectionId, document: { id, name } }: DocumentMenuProps) {
  const remove = usePlatformMutation('deleteDocument', { invalidates: ['listDocuments', 'searchDocuments'] })
  return (
    <ActionMenu
      label={`Actions of ${name}`}
      actions={[
        {
          label: 'Delete document',
          icon: <Trash2 aria-hidden />,
          confirm: {
            title: `Delete ${name}?`,
            text: <p>Agents do not find it anymore, from now on. The file on your computer stays.</p>,
            async onConfirm() {
              await untilGone(remove.mutateAsync({ params: { id: collectionId, document_id: id } }))
              showToast({ title: `${name} deleted` })
            },
          },
        },
      ]}
    />
  )
}

const queuedMs = 1500
const noDocument = { document: '' }

interface DocumentListProps {
  readonly collection: Collection
  /** Narrows it to the documents of a user. Empty: all. */
  readonly userId: string
}

/** The documents of a collection, newest first, with the place to drop new ones. `document` in the address opens one. */
export function DocumentList({ collection, userId }: DocumentListProps) {
  const { id, per_user } = collection
  const [{ document: openId }, open] = useAddressFilter(noDocument)
  const query = usePlatformPages(
    'listDocuments',
    { params: { id }, query: { limit: '200', ...(userId !== '' && { user_id: userId }) } },
    {
      select: documentsOf,
      keepPrevious: true,
      refetchInterval: (pages) => pages.some((page) => page.documents.some(isQueued)) && queuedMs,
    },
  )
  const columns = useMemo(() => columnsOf(collection), [collection])
  return (
    <>
      <UploadDocuments collectionId={id} isPerUser={per_user} />
      <RowList
        label="Documents"
        query={query}
        columns={columns}
        cards="compact"
        rowText={({ name }) => name}
        onRowAction={(document) => open({ document })}
        currentId={openId}
        empty={
          <EmptyState title="No documents yet" icon={<FileText aria-hidden />}>
            Upload files, or write a text. Their text is read here, and no other service gets it.
          </EmptyState>
        }
      />
      {openId !== '' && (
        <DocumentPanel collectionId={id} documentId={openId} onClose={() => open({ document: '' })} />
      )}
    </>
  )
}

interface DocumentPanelProps {
  readonly collectionId: string
  readonly documentId: string
  readonly onClose: () => void
}

/** All that is known of a document. Its file is not kept once its text was read. */
function DocumentPanel({ collectionId, documentId, onClose }: DocumentPanelProps) {
  const query = usePlatformQuery(
    'getDocument',
    { params: { id: collectionId, document_id: documentId } },
    { refetchInterval: (reply) => reply !== undefined && isQueued(reply.document) && queuedMs },
  )
  return (
    <SidePanel title={query.data?.document.name ?? 'Document'} onClose={onClose}>
      <QueryView
        query={query}
        missing={
          <MissingState
            kind="document"
            id={documentId}
            list={{ href: `/collections/${collectionId}`, label: 'Documents' }}
          />
        }
      >
        {({ document }) => (
          <>
            {document.error !== undefined && <Notice tone="bad">{document.error}</Notice>}
            <Facts
              facts={[
                ['Status', <DocumentStatus key="status" document={document} />],
                ['Format', document.media_type],
                ['Size', <ByteSize key="size" value={document.bytes} />],
                ['Pages', document.pages],
                ['Passages', document.chunks],
                ['User', document.user_id],
                ['Changed', formatTime(document.created_at)],
                ['Details', document.metadata && JSON.stringify(document.metadata)],
              ]}
            />
            <p className="muted small">Only the text is stored here, in passages. The file itself is not.</p>
          </>
        )}
      </QueryView>
    </SidePanel>
  )
}
