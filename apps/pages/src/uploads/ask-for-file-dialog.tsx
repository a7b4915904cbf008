import type { Device } from '@homeward/contract/device-cloud'
import { type ReactElement, useState } from 'react'
import { useCloudMutation } from '../api/cloud.ts'
import { toFieldErrors } from '../api/field-errors.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { showToast } from '../components/states/toasts.tsx'
import { useDevices } from '../devices/use-devices.ts'
import { DevicePicker } from '../devices/device-picker.tsx'

interface AskForFileDialogProps {
  readonly trigger: ReactElement
  /** Whom to ask. Undefined lets people choose. */
  readonly deviceIds?: readonly string[]
}

/** Asks one or more devices for a file by its path. */
export function AskForFileDialog({ trigger, deviceIds }: AskForFileDialogProps) {
  return (
    <Dialog
      title="Request a file"
      trigger={trigger}
      size={deviceIds ? 'medium' : 'large'}
      isDismissable={false}
    >
      {(close) => <AskForFileForm deviceIds={deviceIds} close={close} />}
    </Dialog>
  )
}

const noDevices: readonly Device[] = []

interface AskForFileFormProps {
  readonly deviceIds: readonly string[] | undefined
  readonly close: () => void
}

function AskForFileForm({ deviceIds, close }: AskForFileFormProps) {
  const [filePath, setFilePath] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>()
  const devices = useDevices().data ?? noDevices
  // with one device there is nothing to choose
  const selected = chosen ?? new Set(deviceIds ?? (devices.length === 1 ? devices.map(({ id }) => id) : []))
  const [isSent, setIsSent] = useState(false)
  const idempotency = useIdempotencyKey()
  const ask = useCloudMutation('createUploads', {
    invalidates: ['listUploads'],
    onSuccess() {
      showToast({ title: 'File requested', text: filePath })
      close()
    },
  })
  const refused = toFieldErrors(ask.error, ['filePath'])
  const isMissing = isSent && filePath === ''
  const pathProblem = isMissing ? 'Enter the path of the file on the device.' : refused.fields['filePath']
  const deviceProblem = isSent && selected.size === 0 ? 'Choose at least one device.' : undefined

  function submit(): void {
    setIsSent(true)
    if (filePath === '' || selected.size === 0) return
    const body = { deviceIds: [...selected], filePath, destination: 'cloud' as const }
    ask.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={pathProblem}>
      <TextField
        label="Path"
        value={filePath}
        onChange={setFilePath}
        errorMessage={pathProblem}
        placeholder="/home/me/Documents/report.pdf"
        description="Path on the device. Devices share only files in their configured folders."
        isRequired
        autoFocus
      />
      {deviceIds === undefined && (
        <DevicePicker selected={selected} problem={deviceProblem} onChange={setChosen} />
      )}
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={ask.isPending}>
          Request file
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}
