import { useState } from 'react'
import type { EnrollmentApproval } from '@homeward/contract/device-cloud'
import { useCloudMutation } from '../api/cloud.ts'
import { toFieldErrors } from '../api/field-errors.ts'
import { useDeviceUrl } from '../api/server-facts.ts'
import { useIdempotencyKey } from '../api/use-idempotency-key.ts'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { NumberField } from '../components/fields/number-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { TokenField } from '../components/fields/token-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { pairCommand } from '../devices/device-commands.tsx'

/** Creates an enrollment token, and shows its secret, once. */
export function TokenDialog() {
  // The secret lives in this dialog alone, and is gone with it.
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      title="Create an enrollment token"
      trigger={<Button variant="primary">Create token</Button>}
      isDismissable={false}
      isHeld={secret !== undefined}
      onOpenChange={() => setSecret(undefined)}
    >
      {(close) =>
        secret === undefined ? (
          <TokenForm close={close} onCreated={setSecret} />
        ) : (
          <NewSecret secret={secret} close={close} />
        )
      }
    </Dialog>
  )
}

const approvals = [
  { value: 'auto', label: 'Approve devices automatically' },
  { value: 'ask', label: 'Ask me about each device' },
] as const

interface TokenDraft {
  readonly label: string
  readonly maxDevices: number
  readonly days: number
  readonly approval: EnrollmentApproval
  readonly labels: readonly string[]
}

const newDraft: TokenDraft = { label: '', maxDevices: 10, days: 30, approval: 'auto', labels: [] }
const dayMs = 24 * 60 * 60 * 1000

function toBody({ label, maxDevices, days, approval, labels }: TokenDraft, nowMs: number) {
  return {
    label,
    approval,
    labels: [...labels],
    ...(!Number.isNaN(maxDevices) && { maxDevices }),
    ...(!Number.isNaN(days) && { expiresAt: new Date(nowMs + days * dayMs).toISOString() }),
  }
}

interface TokenFormProps {
  readonly close: () => void
  readonly onCreated: (secret: string) => void
}

function TokenForm({ close, onCreated }: TokenFormProps) {
  const [draft, setDraft] = useState(newDraft)
  const [openedMs] = useState(() => Date.now()) // the same at each try, so that a repeat is the same request
  const idempotency = useIdempotencyKey()
  const create = useCloudMutation('createEnrollmentToken', {
    invalidates: ['listEnrollmentTokens'],
    onSuccess: ({ secret }) => onCreated(secret),
  })
  const { fields, rest } = toFieldErrors(create.error, ['label', 'maxDevices', 'expiresAt', 'labels'])
  const change = (changes: Partial<TokenDraft>) => setDraft({ ...draft, ...changes })

  function submit(): void {
    const body = toBody(draft, openedMs)
    create.mutate({ body, headers: idempotency.headersFor(body) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error}>
      <TextField
        label="Label"
        description="What the token is for. Only you see it."
        value={draft.label}
        onChange={(label) => change({ label })}
        errorMessage={fields['label']}
        isRequired
        autoFocus
      />
      <SelectField
        label="Approval"
        options={approvals}
        value={draft.approval}
        onChange={(approval) => change({ approval })}
      />
      <div className="grid">
        <NumberField
          label="Devices"
          description="Leave empty for any number."
          minValue={1}
          value={draft.maxDevices}
          onChange={(maxDevices) => change({ maxDevices })}
          errorMessage={fields['maxDevices']}
        />
        <NumberField
          label="Days until it expires"
          description="Leave empty for a token that does not expire."
          minValue={1}
          maxValue={3650}
          value={draft.days}
          onChange={(days) => change({ days })}
          errorMessage={fields['expiresAt']}
        />
      </div>
      <TokenField
        label="Labels for new devices"
        values={draft.labels}
        onChange={(labels) => change({ labels: labels.map((label) => label.toLowerCase()) })}
        errorMessage={fields['labels']}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={create.isPending}>
          Create
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

function NewSecret({ secret, close }: { readonly secret: string; readonly close: () => void }) {
  const url = useDeviceUrl()
  return (
    <>
      <Notice tone="warn">
        You will not be able to see this secret again. Anyone who has it can enroll devices.
      </Notice>
      <CodeBlock code={secret} label="secret" isWrapped canCopy={false} />
      <div>
        <CopyButton text={secret} label="Copy secret" autoFocus />
      </div>
      <CodeBlock code={pairCommand(url, secret).sh} label="command" isWrapped />
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
