import type { SavedSearch } from '@homeward/contract/device-cloud'
import { Pencil, Play, Trash2 } from 'lucide-react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { ActionMenu, type MenuAction } from '../components/buttons/action-menu.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { hrefOfGroup } from './search-draft.ts'
import { SavedSearchForm } from './saved-search-form.tsx'

/** Runs, changes or deletes a saved search. */
export function SavedSearchActions({ saved }: { readonly saved: SavedSearch }) {
  const erase = useDeleteSaved(saved)
  return (
    <>
      <RunNow id={saved.id} />
      <Dialog
        title="Edit saved search"
        size="large"
        isDismissable={false}
        trigger={<Button icon={<Pencil aria-hidden />}>Edit</Button>}
      >
        {(close) => <EditForm saved={saved} close={close} />}
      </Dialog>
      <ActionMenu actions={[erase]} />
    </>
  )
}

function RunNow({ id }: { readonly id: string }) {
  const [, navigate] = useLocation()
  const idempotency = useIdempotencyKey()
  const run = useCloudMutation('runSavedSearch', {
    invalidates: ['listSearchGroups', 'listSavedSearchChanges'],
    onSuccess({ groupId }) {
      idempotency.done()
      navigate(hrefOfGroup(groupId))
    },
    onError: (error) => showToast({ tone: 'bad', ...describeError(error) }),
  })
  return (
    <Button
      variant="primary"
      icon={<Play aria-hidden />}
      isPending={run.isPending}
      onPress={() => run.mutate({ params: { id }, headers: idempotency.headersFor(id) })}
    >
      Run now
    </Button>
  )
}

function EditForm({ saved, close }: { readonly saved: SavedSearch; readonly close: () => void }) {
  const change = useCloudMutation('updateSavedSearch', {
    invalidates: ['getSavedSearch', 'listSavedSearches'],
    onSuccess: close,
  })
  return (
    <SavedSearchForm
      fields={saved}
      isPending={change.isPending}
      error={change.error}
      onSubmit={(body) => change.mutate({ params: { id: saved.id }, body })}
      close={close}
    />
  )
}

/** Action that deletes a saved search, after a confirmation. */
function useDeleteSaved({ id, name }: SavedSearch): MenuAction {
  const [, navigate] = useLocation()
  const remove = useCloudMutation('deleteSavedSearch', { invalidates: ['listSavedSearches'] })
  return {
    label: 'Delete saved search',
    icon: <Trash2 aria-hidden />,
    confirm: {
      title: 'Delete this saved search?',
      text: <p>It does not run again. The results of its runs stay.</p>,
      onConfirm: async () => {
        await untilGone(remove.mutateAsync({ params: { id } }))
        showToast({ title: 'Saved search deleted', text: name })
        navigate('/searches/saved')
      },
    },
  }
}
