import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import type { WebhookApi } from './webhook-api.ts'

/** What a {@link NewWebhookDialog} takes. */
interface NewWebhookDialogProps {
  readonly api: WebhookApi
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

/** Adds a webhook: asks for its address and events, then shows its secret, once. */
export function NewWebhookDialog({ api, isOpen, onOpenChange }: NewWebhookDialogProps) {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      title="Add a webhook"
      isOpen={isOpen}
      isDismissable={false}
      isHeld={secret !== undefined}
      onOpenChange={(isOpenNow) => {
        setSecret(undefined)
        onOpenChange(isOpenNow)
      }}
    >
      {(close) =>
        secret === undefined ? (
          <NewWebhookForm api={api} close={close} onCreated={setSecret} />
        ) : (
          <NewSecret secret={secret} close={close} />
        )
      }
    </Dialog>
  )
}

interface NewWebhookFormProps {
  readonly api: WebhookApi
  readonly close: () => void
  readonly onCreated: (secret: string) => void
}

function NewWebhookForm({ api, close, onCreated }: NewWebhookFormProps) {
  const [url, setUrl] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [attempts, setAttempts] = useState(0)
  const create = useMutation({
    mutationFn: api.create,
    onSuccess: ({ secret }) => onCreated(secret),
  })
  const urlProblem = /^https?:\/\/./.test(url.trim())
    ? undefined
    : 'Enter an address with http:// or https://.'
  const eventProblem = chosen.size === 0 ? 'Choose at least one event.' : undefined
  const types = api.events.map(({ type }) => type)

  function submit(): void {
    setAttempts((before) => before + 1)
    if (urlProblem !== undefined || eventProblem !== undefined) return
    create.mutate({ url: url.trim(), events: types.filter((type) => chosen.has(type)) })
  }

  return (
    <SubmitForm onSubmit={submit} error={create.error ?? attempts}>
      <TextField
        label="Address"
        value={url}
        onChange={setUrl}
        isRequired
        autoFocus
        description="Private addresses must be allowed in the advanced settings, as private hosts of webhooks."
        errorMessage={attempts > 0 ? urlProblem : undefined}
      />
      <fieldset className="stack" data-gap="small">
        <legend>Events</legend>
        {api.events.map(({ type, text }) => (
          <CheckboxField
            key={type}
            label={text}
            description={type}
            isSelected={chosen.has(type)}
            onChange={(isChosen) =>
              setChosen(new Set(types.filter((each) => (each === type ? isChosen : chosen.has(each)))))
            }
          />
        ))}
        {attempts > 0 && eventProblem !== undefined && <Notice tone="bad">{eventProblem}</Notice>}
      </fieldset>
      {create.error && <ErrorState error={create.error} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={create.isPending}>
          Add webhook
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

function NewSecret({ secret, close }: { readonly secret: string; readonly close: () => void }) {
  return (
    <>
      <Notice tone="warn">You will not be able to see this secret again.</Notice>
      <section className="stack" data-gap="small" aria-label="Secret of the webhook">
        <CodeBlock code={secret} label="Secret of the webhook" isWrapped canCopy={false} />
        <div>
          <CopyButton text={secret} label="Copy secret" autoFocus />
        </div>
      </section>
      <p className="muted">The receiver verifies signatures with it, as Standard Webhooks define.</p>
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
