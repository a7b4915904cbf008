import type { SearchGroup, SavedSearchFields } from '@homeward/contract/device-cloud'
import { GitCompareArrows, Bookmark, RotateCw } from 'lucide-react'
import { Link, useParams, useLocation } from 'wouter'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import { MissingState } from '../components/states/missing-state.tsx'
import { QueryView } from '../components/states/query-view.tsx'
import { RelativeTime } from '../components/text/relative-time.tsx'
import { formatBytes } from '../components/text/byte-size.tsx'
import { describeFilter } from './describe-group.ts'
import { describeSelection } from './file-conditions.tsx'
import { GroupDevices } from './group-devices.tsx'
import { GroupResults } from './group-results.tsx'
import { useGroupSearches, useSearchGroup } from './use-search-group.ts'
import { ProgressBar } from 'react-aria-components'
import '../components/states/progress.css'
import { useCloudMutation } from '../api/cloud.ts'
import { ActionMenu } from '../components/buttons/action-menu.tsx'
import { useDeleteGroup } from './end-search.tsx'
import { exportActions } from './export-actions.tsx'
import { selectionOf, useSearchAgain } from './other-ways.tsx'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { SavedSearchForm } from './saved-search-form.tsx'
import { hrefOfSaved } from './use-searches.ts'

const back = { href: '/searches', label: 'Searches' }

/** One search on any number of devices, with everything that they found in one list. */
export function GroupPage() {
  const { id } = useParams<{ id: string }>()
  const query = useSearchGroup(id)
  const group = query.data?.group
  return (
    <>
      <PageHeader
        title={group?.query.trim() || 'Search'}
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
  const pending = useGroupSearches(group, 'pending')
  return (
    <div className="stack">
      <GroupProgress group={group} />
      <GroupResults group={group} completed={completed} failed={failed} pending={pending} />
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
      {(group.where ?? group.sort ?? group.limit) !== undefined && (
        <span>{describeSelection(group, formatBytes)}</span>
      )}
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
  const name = query.trim() || describeSelection(group, formatBytes)
  const again = useSearchAgain(group)
  const erase = useDeleteGroup(group)
  return (
    <>
      <Button icon={<RotateCw aria-hidden />} isPending={again.isPending} onPress={() => again.mutate({})}>
        Search again
      </Button>
      {savedSearchId === undefined ? (
        <SaveSearchDialog
          fields={{ name, query, scope, ...selectionOf(group), filter: filter ?? {} }}
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
      <ActionMenu actions={[...exportActions(group), erase]} />
    </>
  )
}

/** How many devices of a search have answered. */
function GroupProgress({ group }: { readonly group: SearchGroup }) {
  const { total, counts } = group
  const settled = total - counts.pending
  const failed = counts.failed > 0 ? ` · ${counts.failed.toLocaleString()} failed` : ''
  const devices = total === 1 ? '1 device' : `${total.toLocaleString()} devices`
  const text = `${counts.completed.toLocaleString()} of ${devices} answered${failed}`
  return (
    <div>
      <ProgressBar
        className="progress"
        aria-label="Devices that answered"
        value={settled}
        maxValue={Math.max(total, 1)}
        valueLabel={text}
      >
        {({ percentage = 0 }) => (
          <>
            <span className="small muted numeric">{text}</span>
            {counts.pending > 0 && (
              <div className="progress-track">
                <div className="progress-fill" style={{ width: `${percentage}%` }} />
              </div>
            )}
          </>
        )}
      </ProgressBar>
      {/* Each step of a large fleet would be too much to hear. */}
      <p role="status" className="visually-hidden">
        {counts.pending === 0 && text}
      </p>
    </div>
  )
}

interface SaveSearchDialogProps {
  readonly fields: SavedSearchFields
  /** Whether the search was on chosen devices: a saved one goes by a filter. */
  readonly isAnyFilter: boolean
}

/** Saves a search, so that it can run again, also by a schedule. */
function SaveSearchDialog(props: SaveSearchDialogProps) {
  return (
    <Dialog
      title="Save or schedule this search"
      size="large"
      isDismissable={false}
      trigger={<Button icon={<Bookmark aria-hidden />}>Save search</Button>}
    >
      {(close) => <SaveForm {...props} close={close} />}
    </Dialog>
  )
}

function SaveForm({ fields, isAnyFilter, close }: SaveSearchDialogProps & { readonly close: () => void }) {
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const save = useCloudMutation('createSavedSearch', {
    invalidates: ['listSavedSearches'],
    onSuccess({ savedSearch }) {
      close()
      navigate(hrefOfSaved(savedSearch.id))
    },
  })
  return (
    <SavedSearchForm
      fields={fields}
      isAnyFilter={isAnyFilter}
      isPending={save.isPending}
      error={save.error}
      onSubmit={(body) => save.mutate({ body, headers: idempotency.headersFor(body) })}
      close={close}
    />
  )
}
