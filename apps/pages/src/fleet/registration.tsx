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
import { platforms, types } from '../devices/device-filter.ts'
import { NewKey } from './new-key.tsx'
import type { CallInput } from '@homeward/contract/client'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { toFieldErrors } from '../api/field-errors.ts'

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

/** A registration as it is being written. */
interface RegistrationDraft {
  readonly name: string
  readonly type: string
  readonly platform: string
  readonly os: string
  readonly version: string
  readonly hardware: string
  /** JSON of an object. */
  readonly more: string
}

/** Nothing written yet. */
const emptyDraft: RegistrationDraft = {
  name: '',
  type: 'laptop',
  platform: 'linux',
  os: '',
  version: '',
  hardware: '',
  more: '',
}

/** What is wrong, by field. */
function checkRegistration(draft: RegistrationDraft): Partial<Record<keyof RegistrationDraft, string>> {
  return {
    ...(draft.name.trim() === '' && { name: 'Enter a name.' }),
    ...(draft.type.trim() === '' && { type: 'Enter the type.' }),
    ...(draft.platform.trim() === '' && { platform: 'Enter the platform.' }),
    ...(parseMore(draft.more) === undefined && { more: 'Enter a JSON object.' }),
  }
}

/** What the server refused, by field. What is wrong with the metadata stands at its JSON, which can hold all of it. */
export function readRefusal(error: Error | null): {
  readonly fields: Partial<Record<keyof RegistrationDraft, string>>
  readonly rest: Error | undefined
} {
  const { fields, rest } = toFieldErrors(error, ['name', 'type', 'platform', 'metadata'])
  const { metadata, ...others } = fields
  return { fields: { ...others, ...(metadata !== undefined && { more: metadata }) }, rest }
}

/** What the server takes. A field with its own box wins over the same in `more`. */
function toRegistration(
  draft: RegistrationDraft,
): CallInput<DeviceCloudOperations['registerDevice']>['body'] {
  const { name, type, platform, os, version, hardware, more } = draft
  const own = Object.entries({ os, version, hardware }).flatMap(([key, value]) =>
    value.trim() === '' ? [] : [[key, value.trim()] as const],
  )
  const metadata = { ...parseMore(more), ...Object.fromEntries(own) }
  return { name: name.trim(), type: type.trim(), platform: platform.trim(), metadata }
}

/** @returns undefined when it is no JSON object. */
function parseMore(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const parsed: unknown = JSON.parse(text)
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
