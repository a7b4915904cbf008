import type { SearchGroup, SearchQuery } from '@homeward/contract/device-cloud'
import { Trash2, X } from 'lucide-react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import { Button } from '../components/buttons/button.tsx'
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const changed = ['listSearches', 'listSearchGroups', 'getSearchGroup'] as const

/** Cancels a pending search, or deletes a settled one once that was confirmed. */
export function EndSearch({ search }: { readonly search: SearchQuery }) {
  const [, navigate] = useLocation()
  const end = useCloudMutation('deleteSearch', { invalidates: changed })

  async function erase(): Promise<void> {
    await untilGone(end.mutateAsync({ params: { id: search.id } }))
    showToast({ title: 'Search deleted', text: search.query })
    navigate('/searches')
  }

  if (search.status === 'pending') {
    const onError = (error: Error) => showToast({ tone: 'bad', ...describeError(error) })
    return (
      <Button
        icon={<X aria-hidden />}
        isPending={end.isPending}
        onPress={() => end.mutate({ params: { id: search.id } }, { onError })}
      >
        Cancel search
      </Button>
    )
  }
  return (
    <ConfirmDialog
      title="Delete this search?"
      confirmLabel="Delete search"
      onConfirm={erase}
      trigger={
        <Button variant="danger" icon={<Trash2 aria-hidden />}>
          Delete search
        </Button>
      }
    >
      <p>The results of the device are deleted too. This cannot be undone.</p>
    </ConfirmDialog>
  )
}

/** Deletes a search with its results on all devices, once that was confirmed. */
export function DeleteGroup({ group: { id, query, total } }: { readonly group: SearchGroup }) {
  const [, navigate] = useLocation()
  const remove = useCloudMutation('deleteSearchGroup', { invalidates: changed })

  async function confirm(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    showToast({ title: 'Search deleted', text: query })
    navigate('/searches')
  }

  return (
    <ConfirmDialog
      title={total === 1 ? 'Delete this search?' : 'Delete this search on all devices?'}
      confirmLabel="Delete search"
      onConfirm={confirm}
      trigger={
        <Button variant="danger" icon={<Trash2 aria-hidden />}>
          Delete search
        </Button>
      }
    >
      <p>
        Pending searches are canceled. Settled searches are deleted with their results. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
