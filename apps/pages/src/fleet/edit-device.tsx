import type { Device } from '@homeward/contract/device-cloud'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { useCloudMutation } from '../api/cloud.ts'
import { toFieldErrors } from '../api/field-errors.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { types } from '../devices/device-filter.ts'

/** Changes the name, the type and the labels of a device. */
export function EditDevice({ device }: { readonly device: Device }) {
  return (
    <Dialog
      title="Edit device"
      trigger={<Button icon={<Pencil aria-hidden />}>Edit</Button>}
      isDismissable={false}
    >
      {(close) => <EditForm device={device} close={close} />}
    </Dialog>
  )
}

interface EditFormProps {
  readonly device: Device
  readonly close: () => void
}

function EditForm({ device, close }: EditFormProps) {
  const [draft, setDraft] = useState(() => ({
    name: device.name,
    type: device.type,
    labels: device.labels as readonly string[],
  }))
  const change = useCloudMutation('updateDevice', {
    invalidates: ['getDevice', 'listDevices'],
    onSuccess: close,
  })
  const { fields, rest } = toFieldErrors(change.error, ['name', 'type', 'labels'])

  function submit(): void {
    change.mutate({ params: { id: device.id }, body: { ...draft, labels: [...draft.labels] } })
  }

  return (
    <SubmitForm onSubmit={submit} error={change.error}>
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
        errorMessage={fields['name']}
        isRequired
        autoFocus
      />
      <SuggestField
        label="Type"
        value={draft.type}
        onChange={(type) => setDraft({ ...draft, type })}
        errorMessage={fields['type']}
        suggestions={types}
        isRequired
      />
      <TokenField
        label="Labels"
        description="Lowercase letters, digits and - _ . / : such as site:berlin. At most 32."
        values={draft.labels}
        onChange={(labels) => setDraft({ ...draft, labels: labels.map((label) => label.toLowerCase()) })}
        errorMessage={fields['labels']}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={change.isPending}>
          Save
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
