import type { Trigger, TriggerVerification } from '@homeward/contract/agent-platform'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { toFieldErrors } from '../api/field-errors.ts'
import { usePlatformMutation, usePlatformQuery } from '../api/platform.ts'
import { AgentChoice } from '../components/agents/agent-filter.tsx'
import { Button } from '../components/buttons/button.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextArea } from '../components/fields/text-area.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'
import { verificationNames } from './trigger-texts.ts'

/** A new trigger with its secret, which is shown once. */
interface CreatedTrigger {
  readonly trigger: Trigger
  readonly secret: string
}

interface NewTriggerDialogProps {
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
}

/** Creates a trigger, then shows its secret, once. It belongs to the page: the list may be read again meanwhile. */
export function NewTriggerDialog({ isOpen, onOpenChange }: NewTriggerDialogProps) {
  const [, navigate] = useLocation()
  const [created, setCreated] = useState<CreatedTrigger>()
  return (
    <Dialog
      title="New trigger"
      isDismissable={false}
      isHeld={created !== undefined}
      isOpen={isOpen}
      onOpenChange={(isNowOpen) => {
        setCreated(undefined)
        onOpenChange(isNowOpen)
      }}
    >
      {(close) =>
        created === undefined ? (
          <NewTriggerForm close={close} onCreated={setCreated} />
        ) : (
          <NewSecret
            created={created}
            onDone={() => {
              close()
              navigate(`/triggers/${encodeURIComponent(created.trigger.id)}`)
            }}
          />
        )
      }
    </Dialog>
  )
}

const kinds = [
  { value: 'agent', label: 'An agent' },
  { value: 'graph', label: 'A graph' },
  { value: 'event', label: 'An event that runs wait for' },
] as const

type Kind = (typeof kinds)[number]['value']

const verifications = Object.entries(verificationNames).map(([value, label]) => ({
  value: value as TriggerVerification, // the keys of the names
  label,
}))

interface NewTriggerFormProps {
  readonly close: () => void
  readonly onCreated: (created: CreatedTrigger) => void
}

function NewTriggerForm({ close, onCreated }: NewTriggerFormProps) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('agent')
  const [target, setTarget] = useState<string>()
  const [verify, setVerify] = useState<TriggerVerification>('standard')
  const [input, setInput] = useState('')
  const create = usePlatformMutation('createTrigger', {
    invalidates: ['listTriggers'],
    onSuccess: onCreated,
  })
  const { fields, rest } = toFieldErrors(create.error, ['name', 'event', 'input', 'verify'])
  const id = target?.trim()

  function save(): void {
    if (name.trim() === '' || !id) return
    const field = { agent: 'agent_id', graph: 'graph_id', event: 'event' }[kind]
    create.mutate({
      body: { name: name.trim(), verify, [field]: id, ...(input.trim() !== '' && { input: input.trim() }) },
    })
  }

  return (
    <SubmitForm error={create.error} onSubmit={save}>
      <TextField
        label="Name"
        placeholder="Issues of GitHub"
        value={name}
        onChange={setName}
        maxLength={200}
        isRequired
        errorMessage={fields['name']}
      />
      <SelectField
        label="A call starts"
        options={kinds}
        value={kind}
        onChange={(chosen) => {
          setKind(chosen)
          setTarget(undefined)
        }}
      />
      <TargetField key={kind} kind={kind} value={target} onChange={setTarget} problem={fields['event']} />
      <SelectField
        label="Calls are proven by"
        description="Calls without it are rejected."
        options={verifications}
        value={verify}
        onChange={setVerify}
        errorMessage={fields['verify']}
      />
      <TextArea
        label={kind === 'event' ? 'Data of the event' : 'Task'}
        description="{{body}} is the whole body of the call, and {{body.a.b}} a part of it. Leave empty for the whole body."
        placeholder={kind === 'event' ? '{{body}}' : 'Sort this issue: {{body.issue.title}}'}
        rows={3}
        value={input}
        onChange={setInput}
        maxLength={100_000}
        errorMessage={fields['input']}
      />
      {rest && <ErrorState error={rest} isInline />}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button
          type="submit"
          variant="primary"
          isPending={create.isPending}
          isDisabled={name.trim() === '' || !id}
        >
          Create
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

interface TargetFieldProps {
  readonly kind: Kind
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly problem: string | undefined
}

function TargetField({ kind, value, onChange, problem }: TargetFieldProps) {
  const isGraph = kind === 'graph'
  const graphs = usePlatformQuery('listGraphs', {}, { enabled: isGraph }).data?.graphs ?? []
  if (kind === 'agent') return <AgentChoice value={value} onChange={onChange} />
  return isGraph ? (
    <SelectField
      label="Graph"
      isRequired
      options={graphs.map(({ id, name = id }) => ({ value: id, label: name }))}
      value={value ?? null}
      onChange={onChange}
    />
  ) : (
    <TextField
      label="Name of the event"
      placeholder="paid"
      value={value ?? ''}
      onChange={onChange}
      maxLength={200}
      isRequired
      errorMessage={problem}
    />
  )
}

interface NewSecretProps {
  readonly created: CreatedTrigger
  readonly onDone: () => void
}

function NewSecret({ created: { trigger, secret }, onDone }: NewSecretProps) {
  return (
    <>
      <Notice tone="warn">You will not be able to see this secret again.</Notice>
      <section className="stack" data-gap="small" aria-label="Secret of the trigger">
        <CodeBlock code={secret} label="Secret of the trigger" isWrapped canCopy={false} />
        <div>
          <CopyButton text={secret} label="Copy secret" autoFocus />
        </div>
      </section>
      <p>Enter the secret and this address at the other program:</p>
      <section className="stack" data-gap="small" aria-label="Address of the trigger">
        <CodeBlock code={trigger.url} label="Address of the trigger" isWrapped canCopy={false} />
        <div>
          <CopyButton text={trigger.url} label="Copy address" />
        </div>
      </section>
      <DialogActions>
        <Button variant="primary" onPress={onDone}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
