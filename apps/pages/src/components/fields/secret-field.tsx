import { KeyRound } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../buttons/button.tsx'
import type { FieldTexts } from './field-parts.tsx'
import { TextField } from './text-field.tsx'
import './secret-field.css'

/** What is to become of a secret: undefined keeps it, null removes it, a text replaces it. */
export type SecretChange = string | null | undefined

/** What a {@link SecretField} takes. */
interface SecretFieldProps extends FieldTexts {
  /** Whether there is one. What it is, nobody is told. */
  readonly isSet: boolean
  readonly change: SecretChange
  readonly onChange: (change: SecretChange) => void
  readonly isRequired?: boolean
}

/**
 * A secret that can be set, replaced and removed, and never read. Give it another `key` once it was saved: it begins anew
 * then, and what was written is gone from the page.
 */
export function SecretField({ isSet, change, onChange, ...texts }: SecretFieldProps) {
  const [isReplacing, setIsReplacing] = useState(typeof change === 'string')
  // An empty text is no secret: what is there stays until something is written.
  const onWrite = (text: string) => onChange(text === '' ? undefined : text)
  if (!isSet) return <SecretInput {...texts} value={change ?? ''} onChange={onWrite} />
  if (!isReplacing) {
    return (
      <KeptSecret {...texts} change={change} onChange={onChange} onReplace={() => setIsReplacing(true)} />
    )
  }
  return (
    <div className="secret-replace">
      <SecretInput {...texts} value={change ?? ''} onChange={onWrite} autoFocus />
      <Button
        variant="quiet"
        onPress={() => {
          setIsReplacing(false)
          onChange(undefined)
        }}
      >
        Keep the old value
      </Button>
    </div>
  )
}

interface SecretInputProps extends FieldTexts {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly isRequired?: boolean
  readonly autoFocus?: boolean
}

function SecretInput(props: SecretInputProps) {
  // `new-password`: a browser must not fill in the password of some other site.
  return <TextField {...props} type="password" autoComplete="new-password" />
}

interface KeptSecretProps extends FieldTexts, Pick<SecretFieldProps, 'change' | 'onChange'> {
  readonly onReplace: () => void
}

function KeptSecret({ label, description, errorMessage, change, onChange, onReplace }: KeptSecretProps) {
  const id = useId()
  return (
    <div className="field" role="group" aria-labelledby={id}>
      <span id={id} className="field-label">
        {label}
      </span>
      <div className="secret-kept" data-removed={change === null || undefined}>
        <KeyRound aria-hidden />
        <span className="grow">{change === null ? 'Removed when you save' : 'Set'}</span>
        {change === null ? (
          <Button variant="quiet" onPress={() => onChange(undefined)}>
            Undo removal
          </Button>
        ) : (
          <>
            <Button variant="quiet" onPress={onReplace} aria-label={`Replace: ${label}`}>
              Replace
            </Button>
            <Button variant="quiet" onPress={() => onChange(null)} aria-label={`Remove: ${label}`}>
              Remove
            </Button>
          </>
        )}
      </div>
      {description !== undefined && <div className="field-description">{description}</div>}
      {errorMessage !== undefined && <div className="field-error">{errorMessage}</div>}
    </div>
  )
}
