import { type ReactNode, useState, type ReactElement } from 'react'
import { Button } from '../components/buttons/button.tsx'
import { DialogActions } from '../components/dialogs/dialog-actions.tsx'
import { CheckboxField } from '../components/fields/checkbox-field.tsx'
import { SelectField } from '../components/fields/select-field.tsx'
import { SubmitForm } from '../components/fields/submit-form.tsx'
import { TextField } from '../components/fields/text-field.tsx'
import { ErrorState } from '../components/states/error-state.tsx'
import { Notice } from '../components/states/notice.tsx'
import { CopyButton } from '../components/buttons/copy-button.tsx'
import { Dialog } from '../components/dialogs/dialog.tsx'
import { CodeBlock } from '../components/text/code-block.tsx'

/** A right that a token can have, in the words of a page. */
export interface RightText {
  readonly label: string
  readonly description: string
}

/** What a {@link TokenForm} asks for. */
interface NewToken<Right extends string> {
  readonly name: string
  readonly rights: readonly Right[]
  /** Absent: it does not expire. */
  readonly expiresAt?: string
}

/** What a {@link TokenForm} takes. */
interface TokenFormProps<Right extends string> {
  /** What rights are called, such as `Grants`. */
  readonly legend: string
  readonly rights: Readonly<Record<Right, RightText>>
  readonly initial: readonly NoInfer<Right>[]
  /** Said when no right is chosen. */
  readonly missing: string
  /** More fields, below the rights. */
  readonly children?: (chosen: readonly Right[]) => ReactNode
  readonly error: Error | null
  readonly isPending: boolean
  readonly onCancel: () => void
  readonly onSubmit: (token: NewToken<Right>) => void
}

const dayMs = 24 * 60 * 60 * 1000
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
]

/** Asks for the name, the rights and the lifetime of a new token. */
export function TokenForm<Right extends string>(props: TokenFormProps<Right>) {
  const { rights, initial, missing, children, error, isPending, onCancel, onSubmit } = props
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Right[]>(initial)
  const [days, setDays] = useState('90')
  const [attempts, setAttempts] = useState(0)
  const nameProblem = name.trim() === '' ? 'Enter a name.' : undefined

  function submit(): void {
    setAttempts((before) => before + 1)
    if (nameProblem !== undefined || chosen.length === 0) return
    const lifetime = days === 'never' ? {} : { expiresAt: toExpiry(Number(days)) }
    onSubmit({ name, rights: chosen, ...lifetime })
  }

  return (
    <SubmitForm onSubmit={submit} error={error ?? attempts}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        maxLength={100}
        description="The audit names it."
        errorMessage={attempts > 0 ? nameProblem : undefined}
      />
      <RightsField
        legend={props.legend}
        rights={rights}
        chosen={chosen}
        onChange={setChosen}
        problem={attempts > 0 && chosen.length === 0 ? missing : undefined}
      />
      {children?.(chosen)}
      <SelectField label="Expires after" options={lifetimes} value={days} onChange={setDays} />
      {error && <ErrorState error={error} isInline />}
      <DialogActions>
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={isPending}>
          Create token
        </Button>
      </DialogActions>
    </SubmitForm>
  )
}

interface RightsFieldProps<Right extends string> extends Pick<TokenFormProps<Right>, 'legend' | 'rights'> {
  readonly chosen: readonly Right[]
  readonly onChange: (chosen: readonly Right[]) => void
  readonly problem: string | undefined
}

function RightsField<Right extends string>(props: RightsFieldProps<Right>) {
  const { legend, rights, chosen, onChange, problem } = props
  const all = Object.keys(rights).filter((right): right is Right => right in rights)
  return (
    <fieldset className="stack" data-gap="small">
      <legend>{legend}</legend>
      {all.map((right) => (
        <CheckboxField
          key={right}
          label={rights[right].label}
          description={rights[right].description}
          isSelected={chosen.includes(right)}
          onChange={(isChosen) =>
            onChange(all.filter((each) => (each === right ? isChosen : chosen.includes(each))))
          }
        />
      ))}
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
    </fieldset>
  )
}

/** At the start of a minute: a repeat within it is the same request. */
function toExpiry(days: number): string {
  const minuteMs = 60_000
  return new Date(Math.floor((Date.now() + days * dayMs) / minuteMs) * minuteMs).toISOString()
}

/** What a {@link TokenDialog} takes. */
interface TokenDialogProps {
  readonly title: string
  readonly trigger: ReactElement
  /** Kind of token, such as `API token`. */
  readonly label: string
  /** Who can do what with the secret. */
  readonly warning: string
  /** The form; `onCreated` takes the secret. */
  readonly children: (close: () => void, onCreated: (secret: string) => void) => ReactElement
}

/** Creates a token: shows a form, then the secret, once. */
export function TokenDialog({ title, trigger, label, warning, children }: TokenDialogProps) {
  const [secret, setSecret] = useState<string>()
  return (
    <Dialog
      title={title}
      trigger={trigger}
      isDismissable={false}
      isHeld={secret !== undefined}
      onOpenChange={() => setSecret(undefined)}
    >
      {(close) =>
        secret === undefined ? (
          children(close, setSecret)
        ) : (
          <NewSecret secret={secret} label={label} warning={warning} close={close} />
        )
      }
    </Dialog>
  )
}

interface NewSecretProps {
  readonly secret: string
  readonly label: string
  readonly warning: string
  readonly close: () => void
}

function NewSecret({ secret, label, warning, close }: NewSecretProps) {
  return (
    <>
      <Notice tone="warn">You will not be able to see this token again. {warning}</Notice>
      <section className="stack" data-gap="small" aria-label={label}>
        <CodeBlock code={secret} label={label} isWrapped canCopy={false} />
        <div>
          <CopyButton text={secret} label="Copy token" autoFocus />
        </div>
      </section>
      <p className="muted">
        Scripts send it as <code>Authorization: Bearer {'<token>'}</code>.
      </p>
      <DialogActions>
        <Button variant="primary" onPress={close}>
          Done
        </Button>
      </DialogActions>
    </>
  )
}
