import { useState } from 'react'
import { useCloudMutation } from '../api/cloud.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { Disclosure } from '../components/layout/disclosure.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { SuggestField } from '../components/fields/suggest-field.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { platforms, types } from '../devices/known-kinds.ts'
import { NewKey } from './new-key.tsx'
import {
  checkRegistration,
  emptyDraft,
  readRefusal,
  toRegistration,
  type RegistrationDraft,
} from './registration-draft.ts'

interface RegistrationProps {
  readonly close: () => void
  /** There is a key now, which is shown once. */
  readonly onKeyShown: () => void
}

/** The registration of a device: the form, then the key. */
export function Registration({ close, onKeyShown }: RegistrationProps) {
  // The key lives in this dialog alone, and is gone with it.
  const [registered, setRegistered] = useState<{
    readonly id: string
    readonly name: string
    readonly apiKey: string
  }>()
  if (registered)
    return <NewKey deviceId={registered.id} apiKey={registered.apiKey} name={registered.name} close={close} />
  return (
    <RegistrationForm
      close={close}
      onRegistered={({ device, apiKey }) => {
        setRegistered({ id: device.id, name: device.name, apiKey })
        onKeyShown()
      }}
    />
  )
}

interface RegistrationFormProps {
  readonly close: () => void
  readonly onRegistered: (reply: {
    readonly device: { readonly id: string; readonly name: string }
    readonly apiKey: string
  }) => void
}

function RegistrationForm({ close, onRegistered }: RegistrationFormProps) {
  const [draft, setDraft] = useState(emptyDraft)
  const [attempts, setAttempts] = useState(0)
  const idempotency = useIdempotencyKey()
  const register = useCloudMutation('registerDevice', {
    invalidates: ['listDevices'],
    onSuccess: onRegistered,
  })
  const problems = checkRegistration(draft)
  const refused = readRefusal(register.error)
  const shown = attempts > 0 ? { ...refused.fields, ...problems } : {}

  function submit(): void {
    setAttempts((before) => before + 1)
    if (Object.keys(problems).length > 0) return register.reset()
    const body = toRegistration(draft)
    register.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={register.error ?? attempts}>
      <RegistrationFields draft={draft} problems={shown} onChange={setDraft} />
      {refused.rest && <ErrorState error={refused.rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={register.isPending}>
          Register
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

interface RegistrationFieldsProps {
  readonly draft: RegistrationDraft
  readonly problems: Partial<Record<keyof RegistrationDraft, string>>
  readonly onChange: (draft: RegistrationDraft) => void
}

function RegistrationFields({ draft, problems, onChange }: RegistrationFieldsProps) {
  const field = (name: keyof RegistrationDraft) => ({
    value: draft[name],
    onChange: (value: string) => onChange({ ...draft, [name]: value }),
    errorMessage: problems[name],
  })
  return (
    <>
      <TextField label="Name" {...field('name')} isRequired autoFocus description="Name that people see." />
      <div className="grid">
        <SuggestField label="Type" {...field('type')} suggestions={types} isRequired />
        <SuggestField label="Platform" {...field('platform')} suggestions={platforms} isRequired />
      </div>
      <Disclosure title="Metadata">
        <div className="stack">
          <p className="muted small">
            Shown until the first heartbeat, with which the device sends its own values.
          </p>
          <div className="grid">
            <TextField label="Operating system" {...field('os')} />
            <TextField label="Version" {...field('version')} />
          </div>
          <TextField label="Hardware" {...field('hardware')} />
          <TextArea
            label="More metadata (JSON object)"
            {...field('more')}
            isCode
            rows={3}
            placeholder='{"room": "attic"}'
          />
        </div>
      </Disclosure>
    </>
  )
}
