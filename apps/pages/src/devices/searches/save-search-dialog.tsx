import type { SavedSearchFields } from '@homeward/contract/device-cloud'
import { Bookmark } from 'lucide-react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../../api/cloud.ts'
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts'
import { Button } from '../../components/buttons/button.tsx'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { SavedSearchForm } from '../saved-searches/saved-search-form.tsx'
import { hrefOfSaved } from '../saved-searches/use-saved-searches.ts'

interface SaveSearchDialogProps {
  readonly fields: SavedSearchFields
  /** Whether the search was on chosen devices: a saved one goes by a filter. */
  readonly isAnyFilter: boolean
}

/** Saves a search, so that it can run again, also by a schedule. */
export function SaveSearchDialog(props: SaveSearchDialogProps) {
  return (
    <Dialog
      title="Save or schedule this search"
      size="large"
      isDismissable={false}
      trigger={<Button icon={<Bookmark aria-hidden />}>Save or schedule</Button>}
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
